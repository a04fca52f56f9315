package hedgerow.spring;

import com.google.api.gax.batching.BatchingSettings;
import com.google.api.gax.batching.FlowControlSettings;
import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.pubsub.v1.HedgingSettings;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.cloud.spring.core.GcpProjectIdProvider;
import com.google.cloud.spring.pubsub.core.publisher.PublisherCustomizer;
import com.google.cloud.spring.pubsub.support.PubSubTopicUtils;
import hedgerow.spring.PublisherProperties.Batching;
import hedgerow.spring.PublisherProperties.FlowControl;
import hedgerow.spring.PublisherProperties.Hedging;
import hedgerow.spring.PublisherProperties.Retry;
import hedgerow.spring.PublisherProperties.Topic;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

/**
 * Puts what hedgerow rendered into every publisher that Spring builds, just before it is built.
 *
 * <p>It replaces Spring's own publisher settings, which are the same for all topics. A topic that the file does not have
 * is not published to: the first message to it fails.
 */
@Component
@EnableConfigurationProperties(PublisherProperties.class)
public class RenderedPublishers implements PublisherCustomizer {
  private final PublisherProperties properties;
  private final GcpProjectIdProvider project;

  public RenderedPublishers(PublisherProperties properties, GcpProjectIdProvider project) {
    this.properties = properties;
    this.project = project;
  }

  /** Spring hands over the topic as it was published to: by its id, or by its full name. */
  @Override
  public void apply(Publisher.Builder builder, String topic) {
    String name = PubSubTopicUtils.toTopicName(topic, project.getProjectId()).toString();
    Topic rendered = properties.topics().get(name);
    if (rendered == null) {
      throw new IllegalArgumentException(
          "service `" + properties.service() + "` has no configuration for `" + name + "`");
    }
    builder
        .setEndpoint(rendered.endpoint())
        .setEnableMessageOrdering(rendered.messageOrdering())
        .setRetrySettings(retry(rendered.retry()))
        .setBatchingSettings(batching(rendered.batching(), flowControl(rendered.flowControl())))
        .setHedgingSettings(rendered.hedging() == null ? null : hedging(rendered.hedging()));
  }

  private static HedgingSettings hedging(Hedging rendered) {
    return HedgingSettings.newBuilder()
        .setHedgeDelay(rendered.hedgeDelay())
        .setMaxTokens(rendered.maxTokens())
        .setRefillRatio(rendered.refillRatio())
        .build();
  }

  private static RetrySettings retry(Retry rendered) {
    // The delays between attempts are the publisher's own defaults, which `RetrySettings` does not know.
    return RetrySettings.newBuilder()
        .setInitialRetryDelayDuration(Duration.ofMillis(100))
        .setRetryDelayMultiplier(4)
        .setMaxRetryDelayDuration(Duration.ofSeconds(60))
        .setInitialRpcTimeoutDuration(rendered.initialRpcTimeout())
        .setRpcTimeoutMultiplier(rendered.rpcTimeoutMultiplier())
        .setMaxRpcTimeoutDuration(rendered.maxRpcTimeout())
        .setTotalTimeoutDuration(rendered.totalTimeout())
        .build();
  }

  private static FlowControlSettings flowControl(FlowControl rendered) {
    FlowControlSettings.Builder settings =
        Publisher.Builder.getDefaultBatchingSettings().getFlowControlSettings().toBuilder();
    if (rendered.limitExceededBehavior() != null) {
      settings.setLimitExceededBehavior(rendered.limitExceededBehavior().library);
    }
    if (rendered.maxOutstandingMessages() != null) {
      settings.setMaxOutstandingElementCount(rendered.maxOutstandingMessages());
    }
    if (rendered.maxOutstandingBytes() != null) {
      settings.setMaxOutstandingRequestBytes(rendered.maxOutstandingBytes());
    }
    return settings.build();
  }

  private static BatchingSettings batching(Batching rendered, FlowControlSettings flowControl) {
    BatchingSettings.Builder settings =
        Publisher.Builder.getDefaultBatchingSettings().toBuilder().setFlowControlSettings(flowControl);
    if (rendered.maxMessages() != null) {
      settings.setElementCountThreshold(rendered.maxMessages());
    }
    if (rendered.maxBytes() != null) {
      settings.setRequestByteThreshold(rendered.maxBytes());
    }
    if (rendered.maxLatency() != null) {
      settings.setDelayThresholdDuration(rendered.maxLatency());
    }
    return settings.build();
  }
}
