package hedgerow.publisherconfig;

import com.google.api.gax.batching.BatchingSettings;
import com.google.api.gax.batching.FlowControlSettings;
import com.google.api.gax.batching.FlowController.LimitExceededBehavior;
import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.pubsub.v1.HedgingSettings;
import com.google.cloud.pubsub.v1.Publisher;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** How a service publishes to one topic, in the library's own settings. */
public final class TopicConfig {
  private static final Map<String, LimitExceededBehavior> BEHAVIORS =
      Map.of(
          "block", LimitExceededBehavior.Block,
          "error", LimitExceededBehavior.ThrowException,
          "ignore", LimitExceededBehavior.Ignore);

  private final String name;
  private final String endpoint;
  private final boolean messageOrdering;
  private final RetrySettings retry;
  private final BatchingSettings batching;
  private final HedgingSettings hedging;

  TopicConfig(String name, JsonNode body) {
    body.only("endpoint", "messageOrdering", "hedging", "retry", "batching", "flowControl");
    this.name = name;
    endpoint = body.text("endpoint");
    messageOrdering = body.flag("messageOrdering");
    retry = retry(body.object("retry"));
    batching = batching(body.object("batching"), flowControl(body.object("flowControl")));
    hedging = body.has("hedging") ? hedging(body.object("hedging")) : null;
  }

  /** A builder with all of these settings; credentials and, for tests, the channel are the caller's to add. */
  public Publisher.Builder newPublisherBuilder() {
    Publisher.Builder builder = Publisher.newBuilder(name);
    applyTo(builder);
    return builder;
  }

  /** Puts all settings into a builder that somebody else made, as Spring's does. */
  public void applyTo(Publisher.Builder builder) {
    builder
        .setEndpoint(endpoint)
        .setEnableMessageOrdering(messageOrdering)
        .setRetrySettings(retry)
        .setBatchingSettings(batching)
        .setHedgingSettings(hedging);
  }

  /** Host and port. */
  public String endpoint() {
    return endpoint;
  }

  public boolean messageOrdering() {
    return messageOrdering;
  }

  public RetrySettings retrySettings() {
    return retry;
  }

  /** Batching, with flow control inside. */
  public BatchingSettings batchingSettings() {
    return batching;
  }

  /** Empty where hedging is off. */
  public Optional<HedgingSettings> hedgingSettings() {
    return Optional.ofNullable(hedging);
  }

  private static RetrySettings retry(JsonNode body) {
    body.only("initialRpcTimeout", "rpcTimeoutMultiplier", "maxRpcTimeout", "totalTimeout");
    // The delays between attempts are the publisher's own defaults, which `RetrySettings` does not know.
    return RetrySettings.newBuilder()
        .setInitialRetryDelayDuration(Duration.ofMillis(100))
        .setRetryDelayMultiplier(4)
        .setMaxRetryDelayDuration(Duration.ofSeconds(60))
        .setInitialRpcTimeoutDuration(body.duration("initialRpcTimeout"))
        .setRpcTimeoutMultiplier(body.number("rpcTimeoutMultiplier"))
        .setMaxRpcTimeoutDuration(body.duration("maxRpcTimeout"))
        .setTotalTimeoutDuration(body.duration("totalTimeout"))
        .build();
  }

  private static FlowControlSettings flowControl(JsonNode body) {
    body.only("maxOutstandingMessages", "maxOutstandingBytes", "limitExceededBehavior");
    FlowControlSettings.Builder settings =
        Publisher.Builder.getDefaultBatchingSettings().getFlowControlSettings().toBuilder();
    if (body.has("limitExceededBehavior")) {
      LimitExceededBehavior behavior = BEHAVIORS.get(body.text("limitExceededBehavior"));
      if (behavior == null) {
        throw body.wrong("limitExceededBehavior", "`block`, `error` or `ignore`");
      }
      settings.setLimitExceededBehavior(behavior);
    }
    if (body.has("maxOutstandingMessages")) {
      settings.setMaxOutstandingElementCount(body.count("maxOutstandingMessages"));
    }
    if (body.has("maxOutstandingBytes")) {
      settings.setMaxOutstandingRequestBytes(body.count("maxOutstandingBytes"));
    }
    return settings.build();
  }

  private static BatchingSettings batching(JsonNode body, FlowControlSettings flowControl) {
    body.only("maxMessages", "maxBytes", "maxLatency");
    BatchingSettings.Builder settings =
        Publisher.Builder.getDefaultBatchingSettings().toBuilder().setFlowControlSettings(flowControl);
    if (body.has("maxMessages")) {
      settings.setElementCountThreshold(body.count("maxMessages"));
    }
    if (body.has("maxBytes")) {
      settings.setRequestByteThreshold(body.count("maxBytes"));
    }
    if (body.has("maxLatency")) {
      settings.setDelayThresholdDuration(body.duration("maxLatency"));
    }
    return settings.build();
  }

  private static HedgingSettings hedging(JsonNode body) {
    body.only("hedgeDelay", "maxTokens", "refillRatio");
    return HedgingSettings.newBuilder()
        .setHedgeDelay(body.duration("hedgeDelay"))
        .setMaxTokens(Math.toIntExact(body.count("maxTokens")))
        .setRefillRatio((float) body.number("refillRatio"))
        .build();
  }
}
