package hedgerow.examples;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import hedgerow.publisherconfig.PublisherConfig;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Publishes messages to a topic as a generated file says: {@code Publish FILE TOPIC COUNT}.
 *
 * <p>With PUBSUB_EMULATOR_HOST set, as {@code hedgerow sandbox env} does, it talks to the sandbox.
 */
public final class Publish {
  private Publish() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 3) {
      System.err.println("usage: Publish FILE TOPIC COUNT");
      System.exit(64);
    }
    Publisher.Builder builder =
        PublisherConfig.load(Path.of(arguments[0])).topic(arguments[1]).newPublisherBuilder();
    String sandbox = System.getenv("PUBSUB_EMULATOR_HOST");
    if (sandbox != null) {
      builder
          .setCredentialsProvider(NoCredentialsProvider.create())
          .setChannelProvider(
              FixedTransportChannelProvider.create(
                  GrpcTransportChannel.create(ManagedChannelBuilder.forTarget(sandbox).usePlaintext().build())));
    }
    Publisher publisher = builder.build();
    try {
      for (int message = 0; message < Integer.parseInt(arguments[2]); message++) {
        ByteString data = ByteString.copyFromUtf8("message " + message);
        System.out.println(publisher.publish(PubsubMessage.newBuilder().setData(data).build()).get());
      }
    } finally {
      publisher.shutdown();
      publisher.awaitTermination(10, TimeUnit.SECONDS);
    }
    System.exit(0); // the channel's threads would keep the process alive
  }
}
