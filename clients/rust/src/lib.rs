//! Reads a publisher configuration that hedgerow rendered, and gives its settings to publishers of
//! `google-cloud-pubsub`.
//!
//! A file is taken as it is or refused: what this crate does not know, and what the library would change or ignore,
//! is an error.

mod document;

use document::{Document, Topic};
use google_cloud_gax::retry_policy::RetryPolicyExt;
use google_cloud_pubsub::builder::publisher::PublisherBuilder;
use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::publisher::HedgingOptions;
use google_cloud_pubsub::retry_policy::RetryableErrors;
use std::{collections::BTreeMap, fmt, path::Path, time::Duration};

/// What is wrong with a file, as text.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The configuration of one service.
#[derive(Clone, Debug)]
pub struct Config {
    pub service: String,
    topics: BTreeMap<String, TopicConfig>,
}

/// How the service publishes to one topic, in the library's own settings.
#[derive(Clone, Debug)]
pub struct TopicConfig {
    pub name: String,
    /// With scheme, host and port.
    pub endpoint: String,
    /// The library has no switch: with this, every message needs its ordering key.
    pub message_ordering: bool,
    pub total_timeout: Duration,
    pub hedging: Option<HedgingOptions>,
    pub max_messages: Option<u32>,
    pub max_bytes: Option<u32>,
    pub max_latency: Option<Duration>,
}

impl Config {
    /// Reads a file; errors name it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let content = std::fs::read_to_string(path).map_err(|error| error.to_string());
        let config = content.and_then(|content| Self::parse(&content).map_err(|error| error.0));
        config.map_err(|error| Error(format!("{}: {error}", path.display())))
    }

    /// Reads a document.
    pub fn parse(content: &str) -> Result<Self, Error> {
        let document = Document::parse(content).map_err(Error)?;
        if document.language != "rust" {
            let (service, language) = (document.service, document.language);
            return Err(Error(format!("service `{service}` is configured for `{language}`, not for `rust`")));
        }
        let topics = document.topics.into_iter().map(|(name, topic)| {
            let config = topic_config(&name, topic).map_err(|error| Error(format!("{name}: {error}")))?;
            Ok((name, config))
        });
        Ok(Self { service: document.service, topics: topics.collect::<Result<_, Error>>()? })
    }

    /// The configuration of a topic, by its full name.
    pub fn topic(&self, name: &str) -> Result<&TopicConfig, Error> {
        let missing = || Error(format!("service `{}` has no configuration for `{name}`", self.service));
        self.topics.get(name).ok_or_else(missing)
    }
}

impl TopicConfig {
    /// A builder with all of these settings; credentials are the caller's to add.
    pub fn publisher_builder(&self) -> PublisherBuilder {
        let mut builder = Publisher::builder(&self.name)
            .with_endpoint(&self.endpoint)
            .with_retry_policy(RetryableErrors.with_time_limit(self.total_timeout))
            .set_or_clear_hedging_options(self.hedging.clone());
        if let Some(messages) = self.max_messages {
            builder = builder.set_message_count_threshold(messages);
        }
        if let Some(bytes) = self.max_bytes {
            builder = builder.set_byte_threshold(bytes);
        }
        if let Some(latency) = self.max_latency {
            builder = builder.set_delay_threshold(latency);
        }
        builder
    }
}

fn topic_config(name: &str, topic: Topic) -> Result<TopicConfig, String> {
    let total = topic.retry.total_timeout.0;
    if topic.retry.initial_rpc_timeout.0 != total || topic.retry.max_rpc_timeout.0 != total {
        return Err("the Rust library has one timeout for all attempts, so the three must be equal".into());
    }
    if topic.flow_control != Default::default() {
        return Err("the Rust library has no publisher flow control".into());
    }
    let (messages, bytes): (Option<u32>, Option<u32>) =
        (topic.batching.max_messages.map(Into::into), topic.batching.max_bytes.map(Into::into));
    if messages > Some(1_000) || bytes > Some(10_000_000) {
        return Err("a batch of more than 1000 messages or 10000000 bytes would be cut to that".into());
    }
    let hedging = topic.hedging.map(|hedging| {
        if topic.message_ordering || hedging.hedge_delay.0 >= total {
            return Err("the Rust library hedges neither ordered messages nor after the timeout".to_string());
        }
        let options = HedgingOptions::new()
            .set_delay(hedging.hedge_delay.0)
            .set_max_tokens(hedging.max_tokens)
            .set_refill_ratio(hedging.refill_ratio);
        // The library moves what is out of range to the nearest bound, and shows what it has made of it here only.
        let wanted = format!(
            "HedgingOptions {{ delay: {:?}, max_tokens: {}, refill_ratio: {:?} }}",
            hedging.hedge_delay.0, hedging.max_tokens, hedging.refill_ratio
        );
        if format!("{options:?}") == wanted { Ok(options) } else { Err(format!("{wanted} would become {options:?}")) }
    });
    Ok(TopicConfig {
        name: name.to_string(),
        endpoint: format!("https://{}", topic.endpoint),
        message_ordering: topic.message_ordering,
        total_timeout: total,
        hedging: hedging.transpose()?,
        max_messages: messages,
        max_bytes: bytes,
        max_latency: topic.batching.max_latency.map(|latency| latency.0),
    })
}
