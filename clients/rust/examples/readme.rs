//! What the README shows, so that it compiles.

use google_cloud_pubsub::client::Publisher;
use hedgerow_publisher_config::Config;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

async fn publisher() -> Result<Publisher> {
    let config = Config::load("/etc/hedgerow/checkout.json")?;
    let publisher = config.topic("projects/acme-orders-prod/topics/orders")?.publisher_builder().build().await?;
    Ok(publisher)
}

#[tokio::main]
async fn main() -> Result<()> {
    publisher().await.map(|_| ())
}
