package hedgerow.publisherconfig;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The configuration of one service, as hedgerow rendered it.
 *
 * <p>A file is taken as it is or refused: what this class does not know, and what the library would refuse, change or
 * ignore, is an {@link IllegalArgumentException} whose message says where.
 */
public final class PublisherConfig {
  private static final String FORMAT_VERSION = "1";

  private final String service;
  private final Map<String, TopicConfig> topics = new HashMap<>();

  private PublisherConfig(JsonObject document) {
    JsonNode root = new JsonNode("", document);
    String version = document.has("formatVersion") ? root.text("formatVersion") : "";
    if (!version.equals(FORMAT_VERSION)) {
      throw new IllegalArgumentException(
          "format version `" + version + "` is not known; this loader reads `" + FORMAT_VERSION + "`");
    }
    root.only("$schema", "formatVersion", "service", "language", "clientLibrary", "topics", "source");
    service = root.text("service");
    if (!root.text("language").equals("java")) {
      throw new IllegalArgumentException(
          "service `" + service + "` is configured for `" + root.text("language") + "`, not for `java`");
    }
    JsonNode bodies = root.object("topics");
    for (String name : bodies.keys()) {
      topics.put(name, new TopicConfig(name, bodies.object(name)));
    }
  }

  /** Reads a file; messages start with its path. */
  public static PublisherConfig load(Path path) throws IOException {
    try {
      return parse(Files.readString(path));
    } catch (IllegalArgumentException error) {
      throw new IllegalArgumentException(path + ": " + error.getMessage(), error);
    }
  }

  /** Reads a document. */
  public static PublisherConfig parse(String document) {
    JsonObject parsed;
    try {
      parsed = new GsonBuilder().setStrictness(Strictness.STRICT).create().fromJson(document, JsonObject.class);
    } catch (JsonParseException error) {
      throw new IllegalArgumentException("not a JSON object: " + error.getMessage(), error);
    }
    if (parsed == null) {
      throw new IllegalArgumentException("the document is empty");
    }
    return new PublisherConfig(parsed);
  }

  /** The service's name. */
  public String service() {
    return service;
  }

  /** The configuration of a topic, by its full name. */
  public TopicConfig topic(String name) {
    TopicConfig topic = topics.get(name);
    if (topic == null) {
      throw new IllegalArgumentException("service `" + service + "` has no configuration for `" + name + "`");
    }
    return topic;
  }
}
