//! The file, key by key; `publisher-config.schema.json` describes it.

use serde::{Deserialize, Deserializer, de::Error};
use std::{collections::BTreeMap, num::NonZeroU32, time::Duration};

const FORMAT_VERSION: &str = "1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Document {
    #[serde(rename = "$schema")]
    _schema: String,
    #[serde(rename = "formatVersion")]
    _format_version: String,
    pub service: String,
    pub language: String,
    #[serde(rename = "clientLibrary")]
    _client_library: BTreeMap<String, String>,
    pub topics: BTreeMap<String, Topic>,
    #[serde(rename = "source")]
    _source: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Topic {
    pub endpoint: String,
    pub message_ordering: bool,
    #[serde(default, deserialize_with = "present")]
    pub hedging: Option<Hedging>,
    pub retry: Retry,
    pub batching: Batching,
    pub flow_control: FlowControl,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Hedging {
    pub hedge_delay: Seconds,
    pub max_tokens: u32,
    pub refill_ratio: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Retry {
    pub initial_rpc_timeout: Seconds,
    #[serde(rename = "rpcTimeoutMultiplier")]
    _rpc_timeout_multiplier: f64,
    pub max_rpc_timeout: Seconds,
    pub total_timeout: Seconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Batching {
    #[serde(default, deserialize_with = "present")]
    pub max_messages: Option<NonZeroU32>,
    #[serde(default, deserialize_with = "present")]
    pub max_bytes: Option<NonZeroU32>,
    #[serde(default, deserialize_with = "present")]
    pub max_latency: Option<Seconds>,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FlowControl {
    #[serde(default, deserialize_with = "present")]
    max_outstanding_messages: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    max_outstanding_bytes: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    limit_exceeded_behavior: Option<String>,
}

impl Document {
    pub fn parse(content: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            format_version: Option<String>,
        }
        let version: Version = serde_json::from_str(content).map_err(|error| error.to_string())?;
        match version.format_version.as_deref() {
            Some(FORMAT_VERSION) => serde_json::from_str(content).map_err(|error| error.to_string()),
            other => {
                let other = other.unwrap_or_default();
                Err(format!("format version `{other}` is not known; this loader reads `{FORMAT_VERSION}`"))
            }
        }
    }
}

/// A protobuf JSON duration, longer than nothing.
pub struct Seconds(pub Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("`{text}` is not a duration in seconds, as `0.200s`"));
        let number = text.strip_suffix('s').ok_or_else(wrong)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "000"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || !matches!(fraction.len(), 3 | 6 | 9) {
            return Err(wrong());
        }
        let seconds = whole.parse().map_err(|_| wrong())?;
        let nanos = format!("{fraction:0<9}").parse().map_err(|_| wrong())?;
        let duration = Duration::new(seconds, nanos);
        if duration.is_zero() { Err(wrong()) } else { Ok(Self(duration)) }
    }
}

/// What may be left out, but not be null.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
