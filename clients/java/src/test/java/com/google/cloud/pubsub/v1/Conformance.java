package com.google.cloud.pubsub.v1;

import com.google.api.core.ApiFuture;
import com.google.api.gax.batching.BatchingSettings;
import com.google.api.gax.batching.FlowControlSettings;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import hedgerow.publisherconfig.PublisherConfig;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Answers what the real library does with settings: a JSON request a line on standard input, an answer a line on
 * standard output. Hedgerow's own tests drive it, and its counterparts in Go and Rust; see tests/clients.
 *
 * <p>It stands in the library's package to read back retry settings, which have no public getter.
 */
public final class Conformance {
  private Conformance() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject answer = new JsonObject();
      respond(new Gson().fromJson(line, JsonObject.class), answer);
      System.out.println(answer);
    }
    System.exit(0);
  }

  private static void respond(JsonObject asked, JsonObject answer) throws Exception {
    ManagedChannel channel = ManagedChannelBuilder.forTarget(asked.get("endpoint").getAsString()).usePlaintext().build();
    String stage = "load";
    try {
      Publisher.Builder builder = asked.has("raw") ? raw(asked) : loaded(asked);
      builder.setCredentialsProvider(NoCredentialsProvider.create());
      builder.setChannelProvider(FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel)));
      stage = "build";
      Publisher publisher = builder.build();
      try {
        answer.add("effective", effective(builder, publisher));
        stage = "publish";
        JsonArray took = new JsonArray();
        for (JsonElement messages : asked.getAsJsonArray("rounds")) {
          took.add(publish(publisher, messages.getAsInt()));
        }
        answer.add("took", took);
      } finally {
        publisher.shutdown();
        publisher.awaitTermination(5, TimeUnit.SECONDS);
      }
    } catch (ExecutionException error) {
      fail(answer, stage, error.getCause());
    } catch (RuntimeException error) {
      fail(answer, stage, error);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void fail(JsonObject answer, String stage, Throwable error) {
    answer.addProperty("stage", stage);
    answer.addProperty("error", error.getClass().getSimpleName() + ": " + error.getMessage());
  }

  private static Publisher.Builder loaded(JsonObject asked) {
    return PublisherConfig.parse(asked.get("document").toString())
        .topic(asked.get("topic").getAsString())
        .newPublisherBuilder();
  }

  private static Publisher.Builder raw(JsonObject asked) {
    JsonObject raw = asked.getAsJsonObject("raw");
    BatchingSettings.Builder batching = Publisher.Builder.getDefaultBatchingSettings().toBuilder();
    batching.setElementCountThreshold(raw.get("maxMessages").getAsLong());
    batching.setRequestByteThreshold(raw.get("maxBytes").getAsLong());
    RetrySettings.Builder retry =
        Publisher.Builder.DEFAULT_RETRY_SETTINGS.toBuilder()
            .setInitialRpcTimeoutDuration(Duration.ofNanos(raw.get("initialNanos").getAsLong()))
            .setMaxRpcTimeoutDuration(Duration.ofNanos(raw.get("maximumNanos").getAsLong()))
            .setTotalTimeoutDuration(Duration.ofNanos(raw.get("totalNanos").getAsLong()));
    return Publisher.newBuilder(asked.get("topic").getAsString())
        .setEnableMessageOrdering(raw.get("ordering").getAsBoolean())
        .setBatchingSettings(batching.build())
        .setRetrySettings(retry.build())
        .setHedgingSettings(
            HedgingSettings.newBuilder()
                .setHedgeDelay(Duration.ofNanos(raw.get("delayNanos").getAsLong()))
                .setMaxTokens(raw.get("maxTokens").getAsInt())
                .setRefillRatio(Float.parseFloat(raw.get("refillRatio").getAsString()))
                .build());
  }

  private static long publish(Publisher publisher, int messages) throws ExecutionException, InterruptedException {
    long start = System.nanoTime();
    List<ApiFuture<String>> futures = new ArrayList<>();
    for (int index = 0; index < messages; index++) {
      futures.add(publisher.publish(PubsubMessage.newBuilder().setData(ByteString.copyFromUtf8("message")).build()));
    }
    for (ApiFuture<String> future : futures) {
      future.get();
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private static JsonObject effective(Publisher.Builder builder, Publisher publisher) {
    JsonObject effective = new JsonObject();
    HedgingSettings hedging = publisher.getHedgingSettings();
    effective.addProperty("delayMicros", hedging == null ? 0 : hedging.getHedgeDelay().toNanos() / 1000);
    effective.addProperty("maxTokens", hedging == null ? 0 : hedging.getMaxTokens());
    effective.addProperty("refillThousandths", hedging == null ? 0 : Math.round(hedging.getRefillRatio() * 1000));
    effective.addProperty("initialMicros", builder.retrySettings.getInitialRpcTimeoutDuration().toNanos() / 1000);
    effective.addProperty("maximumMicros", builder.retrySettings.getMaxRpcTimeoutDuration().toNanos() / 1000);
    effective.addProperty("totalMicros", builder.retrySettings.getTotalTimeoutDuration().toNanos() / 1000);
    effective.addProperty("multiplier", builder.retrySettings.getRpcTimeoutMultiplier());
    effective.add("retryDelays", delays(builder.retrySettings));
    effective.add("defaultRetryDelays", delays(Publisher.Builder.DEFAULT_RETRY_SETTINGS));
    BatchingSettings batching = publisher.getBatchingSettings();
    effective.addProperty("maxMessages", batching.getElementCountThreshold());
    effective.addProperty("maxBytes", batching.getRequestByteThreshold());
    effective.addProperty("maxLatencyMicros", batching.getDelayThresholdDuration().toNanos() / 1000);
    FlowControlSettings flow = batching.getFlowControlSettings();
    JsonArray outstanding = new JsonArray();
    outstanding.add(flow.getMaxOutstandingElementCount());
    outstanding.add(flow.getMaxOutstandingRequestBytes());
    effective.add("outstanding", outstanding);
    effective.addProperty("limitExceeded", flow.getLimitExceededBehavior().toString());
    return effective;
  }

  private static JsonArray delays(RetrySettings retry) {
    JsonArray delays = new JsonArray();
    delays.add(retry.getInitialRetryDelayDuration().toMillis());
    delays.add(retry.getRetryDelayMultiplier());
    delays.add(retry.getMaxRetryDelayDuration().toMillis());
    return delays;
  }
}
