use google_cloud_pubsub::publisher::HedgingOptions;
use hedgerow_publisher_config::Config;
use std::time::Duration;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/rust.json");
const ORDERS: &str = "projects/acme-orders-prod/topics/orders";
const PAYMENTS: &str = "projects/acme-orders-prod/topics/payments";

#[test]
fn a_hedged_topic_gets_the_librarys_own_settings() {
    let config = Config::load(FILE).unwrap();
    let topic = config.topic(ORDERS).unwrap();
    let hedging =
        HedgingOptions::new().set_delay(Duration::from_millis(200)).set_max_tokens(100_u32).set_refill_ratio(0.05_f32);
    assert_eq!(topic.hedging, Some(hedging));
    assert_eq!(topic.total_timeout, Duration::from_secs(600));
    assert_eq!((topic.max_messages, topic.max_bytes), (Some(50), None));
    assert_eq!(topic.max_latency, Some(Duration::from_millis(5)));
    assert_eq!(topic.endpoint, "https://pubsub.googleapis.com:443");
    assert!(!topic.message_ordering);
}

#[test]
fn an_ordered_topic_is_not_hedged() {
    let config = Config::load(FILE).unwrap();
    let topic = config.topic(PAYMENTS).unwrap();
    assert_eq!(topic.hedging, None);
    assert!(topic.message_ordering);
    assert_eq!(topic.endpoint, "https://europe-west1-pubsub.googleapis.com:443");
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let document = std::fs::read_to_string(FILE).unwrap();
    for (from, to, message) in [
        (
            r#""formatVersion": "1""#,
            r#""formatVersion": "2""#,
            "format version `2` is not known; this loader reads `1`",
        ),
        (r#""language": "rust""#, r#""language": "go""#, "service `checkout` is configured for `go`, not for `rust`"),
        (r#""service""#, r#""Service""#, "unknown field `Service`"),
        (r#""hedgeDelay""#, r#""delay""#, "unknown field `delay`"),
        (r#""hedgeDelay": "0.200s","#, "", "missing field `hedgeDelay`"),
        (r#""0.200s""#, r#""200ms""#, "`200ms` is not a duration in seconds, as `0.200s`"),
        (r#""0.200s""#, r#""0s""#, "`0s` is not a duration in seconds, as `0.200s`"),
        (r#""maxMessages": 50"#, r#""maxMessages": null"#, "invalid type: null"),
        (r#""maxMessages": 50"#, r#""maxMessages": 1001"#, "would be cut to that"),
        (r#""maxTokens": 100"#, r#""maxTokens": 0"#, "max_tokens: 0, refill_ratio: 0.05 } would become"),
        (r#""flowControl": {}"#, r#""flowControl": {"maxOutstandingBytes": 1}"#, "has no publisher flow control"),
        (r#""initialRpcTimeout": "600s""#, r#""initialRpcTimeout": "5s""#, "the three must be equal"),
        (r#""messageOrdering": false"#, r#""messageOrdering": true"#, "hedges neither ordered messages"),
    ] {
        assert!(document.contains(from), "{from}");
        let error = Config::parse(&document.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(message), "{to}: {error}");
    }
}

#[test]
fn a_topic_that_the_service_does_not_publish_to_is_an_error() {
    let error = Config::load(FILE).unwrap().topic("projects/p/topics/other").unwrap_err();
    assert_eq!(error.to_string(), "service `checkout` has no configuration for `projects/p/topics/other`");
}
