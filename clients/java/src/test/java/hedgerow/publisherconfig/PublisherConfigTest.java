package hedgerow.publisherconfig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.api.gax.batching.FlowController.LimitExceededBehavior;
import com.google.cloud.pubsub.v1.HedgingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PublisherConfigTest {
  private static final Path FILE = Path.of("..", "testdata", "java.json");
  private static final String ORDERS = "projects/acme-orders-prod/topics/orders";
  private static final String PAYMENTS = "projects/acme-orders-prod/topics/payments";

  @Test
  void aHedgedTopicGetsTheLibrarysOwnSettings() throws IOException {
    TopicConfig topic = PublisherConfig.load(FILE).topic(ORDERS);
    HedgingSettings hedging = topic.hedgingSettings().orElseThrow();
    assertEquals(Duration.ofMillis(200), hedging.getHedgeDelay());
    assertEquals(100, hedging.getMaxTokens());
    assertEquals(0.05f, hedging.getRefillRatio());
    assertEquals(Duration.ofSeconds(10), topic.retrySettings().getInitialRpcTimeoutDuration());
    assertEquals(4, topic.retrySettings().getRpcTimeoutMultiplier());
    assertEquals(Duration.ofSeconds(60), topic.retrySettings().getMaxRpcTimeoutDuration());
    assertEquals(Duration.ofSeconds(600), topic.retrySettings().getTotalTimeoutDuration());
    assertEquals(50, topic.batchingSettings().getElementCountThreshold());
    assertEquals(Duration.ofMillis(5), topic.batchingSettings().getDelayThresholdDuration());
    assertEquals("pubsub.googleapis.com:443", topic.endpoint());
    assertFalse(topic.messageOrdering());
  }

  @Test
  void anOrderedTopicIsNotHedged() throws IOException {
    TopicConfig topic = PublisherConfig.load(FILE).topic(PAYMENTS);
    assertTrue(topic.hedgingSettings().isEmpty());
    assertTrue(topic.messageOrdering());
    assertEquals("europe-west1-pubsub.googleapis.com:443", topic.endpoint());
    var flow = topic.batchingSettings().getFlowControlSettings();
    assertEquals(1000, flow.getMaxOutstandingElementCount());
    assertEquals(10485760, flow.getMaxOutstandingRequestBytes());
    assertEquals(LimitExceededBehavior.Block, flow.getLimitExceededBehavior());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          "formatVersion": "1" | "formatVersion": "2" | format version `2` is not known; this loader reads `1`
          "language": "java" | "language": "go" | service `checkout` is configured for `go`, not for `java`
          "service": | "Service": | .Service is not known
          "hedgeDelay" | "delay" | .topics.projects/acme-orders-prod/topics/orders.hedging.delay is not known
          "hedgeDelay": "0.200s", | ~~ | .topics.projects/acme-orders-prod/topics/orders.hedging.hedgeDelay is missing
          "0.200s" | "200ms" | .topics.projects/acme-orders-prod/topics/orders.hedging.hedgeDelay is not a duration in seconds, as `0.200s`: "200ms"
          "maxMessages": 50 | "maxMessages": null | .topics.projects/acme-orders-prod/topics/orders.batching.maxMessages is not a number: null
          "maxTokens": 100 | "maxTokens": 1.5 | .topics.projects/acme-orders-prod/topics/orders.hedging.maxTokens is not a whole number from 1 up: 1.5
          "maxTokens": 100 | "maxTokens": 251 | maxTokens must be greater than 0 and less than or equal to 250
          "block" | "wait" | .topics.projects/acme-orders-prod/topics/payments.flowControl.limitExceededBehavior is not `block`, `error` or `ignore`: "wait"
          """)
  void whatIsNotKnownIsRefusedByName(String from, String to, String message) throws IOException {
    String document = Files.readString(FILE);
    assertTrue(document.contains(from));
    var error =
        assertThrows(
            IllegalArgumentException.class,
            () -> PublisherConfig.parse(document.replace(from, to == null ? "" : to)));
    assertEquals(message, error.getMessage());
  }

  @Test
  void aTopicThatTheServiceDoesNotPublishToIsAnError() throws IOException {
    PublisherConfig config = PublisherConfig.load(FILE);
    var error = assertThrows(IllegalArgumentException.class, () -> config.topic("projects/p/topics/other"));
    assertEquals("service `checkout` has no configuration for `projects/p/topics/other`", error.getMessage());
  }

  @Test
  void whatIsNotJsonIsRefused() {
    var error = assertThrows(IllegalArgumentException.class, () -> PublisherConfig.parse(""));
    assertEquals("the document is empty", error.getMessage());
    assertThrows(IllegalArgumentException.class, () -> PublisherConfig.parse("[1]"));
  }
}
