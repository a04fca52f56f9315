//! Publishes messages to a topic as a generated file says.
//!
//!     cargo run --example publish -- checkout.json projects/acme-orders-prod/topics/orders 20
//!
//! With `PUBSUB_EMULATOR_HOST` set, as `hedgerow sandbox env` does, it talks to the sandbox.

use google_cloud_auth::credentials::anonymous;
use google_cloud_pubsub::model::Message;
use hedgerow_publisher_config::Config;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, topic, count] = arguments.as_slice() else {
        eprintln!("usage: publish FILE TOPIC COUNT");
        std::process::exit(64);
    };
    let mut builder = Config::load(file)?.topic(topic)?.publisher_builder();
    if let Ok(sandbox) = std::env::var("PUBSUB_EMULATOR_HOST") {
        builder =
            builder.with_endpoint(format!("http://{sandbox}")).with_credentials(anonymous::Builder::new().build());
    }
    let publisher = builder.build().await?;
    for message in 0..count.parse::<u32>()? {
        let id = publisher.publish(Message::new().set_data(format!("message {message}"))).await?;
        println!("{id}");
    }
    Ok(())
}
