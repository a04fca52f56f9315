//! Answers what the real library does with settings: a JSON request a line on standard input, an answer a line on
//! standard output. Hedgerow's own tests drive it, and its counterparts in Go and Java; see tests/clients.

use google_cloud_auth::credentials::anonymous;
use google_cloud_gax::retry_policy::RetryPolicyExt;
use google_cloud_pubsub::builder::publisher::PublisherBuilder;
use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::model::Message;
use google_cloud_pubsub::publisher::HedgingOptions;
use google_cloud_pubsub::retry_policy::RetryableErrors;
use hedgerow_publisher_config::Config;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    for line in std::io::stdin().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let answer = match respond(&asked).await {
            Ok(answer) => answer,
            Err((stage, error)) => json!({"stage": stage, "error": error.to_string()}),
        };
        println!("{answer}");
    }
    Ok(())
}

async fn respond(asked: &Value) -> Result<Value, (&'static str, Failure)> {
    let (builder, total) = if asked["raw"].is_null() { loaded(asked) } else { raw(asked) }.map_err(|e| ("load", e))?;
    let builder = builder
        .with_endpoint(format!("http://{}", asked["endpoint"].as_str().unwrap_or_default()))
        .with_credentials(anonymous::Builder::new().build());
    let publisher = builder.build().await.map_err(|error| ("build", error.into()))?;
    let mut took = Vec::new();
    for messages in asked["rounds"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
        let start = Instant::now();
        let message = || Message::new().set_data("message");
        let futures: Vec<_> = (0..messages).map(|_| publisher.publish(message())).collect();
        for future in futures {
            future.await.map_err(|error| ("publish", error.into()))?;
        }
        took.push(start.elapsed().as_millis() as u64);
    }
    // The library shows its settings nowhere else.
    let debug = format!("{publisher:?}");
    Ok(json!({"took": took, "effective": {"debug": debug, "totalMicros": total.as_micros() as u64}}))
}

fn loaded(asked: &Value) -> Result<(PublisherBuilder, Duration), Failure> {
    let config = Config::parse(&asked["document"].to_string())?;
    let topic = config.topic(asked["topic"].as_str().unwrap_or_default())?;
    Ok((topic.publisher_builder(), topic.total_timeout))
}

fn raw(asked: &Value) -> Result<(PublisherBuilder, Duration), Failure> {
    let raw = &asked["raw"];
    let nanos = |key: &str| raw[key].as_u64().map(Duration::from_nanos).ok_or(format!("{key} is not representable"));
    let count = |key: &str| raw[key].as_i64().ok_or(format!("{key} is missing"));
    let hedging = HedgingOptions::new()
        .set_delay(nanos("delayNanos")?)
        .set_max_tokens(u32::try_from(count("maxTokens")?)?)
        .set_refill_ratio(raw["refillRatio"].as_str().unwrap_or_default().parse::<f32>()?);
    let total = nanos("totalNanos")?;
    let builder = Publisher::builder(asked["topic"].as_str().unwrap_or_default())
        .set_message_count_threshold(u32::try_from(count("maxMessages")?)?)
        .set_byte_threshold(u32::try_from(count("maxBytes")?)?)
        .with_retry_policy(RetryableErrors.with_time_limit(total))
        .set_hedging_options(hedging);
    Ok((builder, total))
}
