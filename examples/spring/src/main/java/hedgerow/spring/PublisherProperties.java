package hedgerow.spring;

import com.google.api.gax.batching.FlowController.LimitExceededBehavior;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What hedgerow rendered for this service, as {@code application-SERVICE.yaml} has it.
 *
 * <p>Nothing is left out of the file but what is to be the library's default, and nothing unknown is in it.
 *
 * @param topics by their full names
 */
@ConfigurationProperties(prefix = "hedgerow.publisher", ignoreUnknownFields = false)
public record PublisherProperties(String formatVersion, String service, Map<String, Topic> topics) {
  private static final String FORMAT_VERSION = "1";

  public PublisherProperties {
    if (!FORMAT_VERSION.equals(formatVersion)) {
      throw new IllegalArgumentException(
          "hedgerow.publisher.format-version is `" + formatVersion + "`, not `" + FORMAT_VERSION + "`");
    }
    topics = topics == null ? Map.of() : Map.copyOf(topics);
  }

  /** How the service publishes to one topic; without {@code hedging}, not hedged. */
  public record Topic(
      String endpoint,
      boolean messageOrdering,
      Hedging hedging,
      Retry retry,
      @DefaultValue Batching batching,
      @DefaultValue FlowControl flowControl) {}

  public record Hedging(Duration hedgeDelay, int maxTokens, float refillRatio) {}

  public record Retry(
      Duration initialRpcTimeout, double rpcTimeoutMultiplier, Duration maxRpcTimeout, Duration totalTimeout) {}

  public record Batching(Long maxMessages, Long maxBytes, Duration maxLatency) {}

  public record FlowControl(
      Long maxOutstandingMessages, Long maxOutstandingBytes, Behavior limitExceededBehavior) {}

  /** What a publisher does at its limits. */
  public enum Behavior {
    BLOCK(LimitExceededBehavior.Block),
    ERROR(LimitExceededBehavior.ThrowException),
    IGNORE(LimitExceededBehavior.Ignore);

    final LimitExceededBehavior library;

    Behavior(LimitExceededBehavior library) {
      this.library = library;
    }
  }
}
