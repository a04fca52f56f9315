//! Takes orders, one a line, from standard input, publishes each to a topic and prints the id of its message.
//!
//! How it publishes is in the file that hedgerow rendered for it:
//!
//!     cargo run -- /etc/hedgerow/checkout.json projects/acme-orders-prod/topics/orders
//!
//! With `PUBSUB_EMULATOR_HOST` set, as `hedgerow sandbox env` does, it talks to the sandbox.

use google_cloud_auth::credentials::anonymous;
use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::model::Message;
use hedgerow_publisher_config::Config;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, topic] = arguments.as_slice() else {
        eprintln!("usage: checkout FILE TOPIC");
        std::process::exit(64);
    };
    let publisher = publisher(file, topic).await?;
    let mut orders = BufReader::new(stdin()).lines();
    while let Some(order) = orders.next_line().await? {
        println!("{}", publisher.publish(Message::new().set_data(order)).await?);
    }
    Ok(())
}

/// A publisher as the file says; one that the library would not use as it is ends the service before its first order.
async fn publisher(file: &str, topic: &str) -> Result<Publisher> {
    let mut builder = Config::load(file)?.topic(topic)?.publisher_builder();
    if let Ok(sandbox) = std::env::var("PUBSUB_EMULATOR_HOST") {
        builder =
            builder.with_endpoint(format!("http://{sandbox}")).with_credentials(anonymous::Builder::new().build());
    }
    Ok(builder.build().await?)
}
