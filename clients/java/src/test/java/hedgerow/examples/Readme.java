package hedgerow.examples;

import com.google.cloud.pubsub.v1.Publisher;
import hedgerow.publisherconfig.PublisherConfig;
import hedgerow.publisherconfig.TopicConfig;
import java.io.IOException;
import java.nio.file.Path;

/** What the README shows, so that it compiles. */
final class Readme {
  private Readme() {}

  static Publisher publisher() throws IOException {
    TopicConfig topic =
        PublisherConfig.load(Path.of("/etc/hedgerow/checkout.json")).topic("projects/acme-orders-prod/topics/orders");
    Publisher publisher = topic.newPublisherBuilder().build();
    return publisher;
  }
}
