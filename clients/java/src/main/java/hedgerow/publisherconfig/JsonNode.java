package hedgerow.publisherconfig;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** An object of the document that knows where it stands, so that every message can say it. */
final class JsonNode {
  private static final Pattern DURATION = Pattern.compile("(0|[1-9][0-9]{0,11})(\\.([0-9]{3}){1,3})?s");

  private final String path;
  private final JsonObject object;

  JsonNode(String path, JsonObject object) {
    this.path = path;
    this.object = object;
  }

  Set<String> keys() {
    return object.keySet();
  }

  boolean has(String key) {
    return object.has(key);
  }

  /** Refuses keys other than these. */
  void only(String... known) {
    for (String key : object.keySet()) {
      if (!List.of(known).contains(key)) {
        throw new IllegalArgumentException(path + "." + key + " is not known");
      }
    }
  }

  JsonNode object(String key) {
    JsonElement value = object.get(key);
    if (value == null || !value.isJsonObject()) {
      throw wrong(key, "an object");
    }
    return new JsonNode(path + "." + key, value.getAsJsonObject());
  }

  String text(String key) {
    JsonElement value = object.get(key);
    if (value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isString()) {
      throw wrong(key, "text");
    }
    return value.getAsString();
  }

  boolean flag(String key) {
    JsonElement value = object.get(key);
    if (value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isBoolean()) {
      throw wrong(key, "true or false");
    }
    return value.getAsBoolean();
  }

  double number(String key) {
    JsonElement value = object.get(key);
    if (value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isNumber()) {
      throw wrong(key, "a number");
    }
    return value.getAsDouble();
  }

  long count(String key) {
    double value = number(key);
    if (value < 1 || value > Long.MAX_VALUE / 2 || value != Math.rint(value)) {
      throw wrong(key, "a whole number from 1 up");
    }
    return (long) value;
  }

  /** A protobuf JSON duration, longer than nothing. */
  Duration duration(String key) {
    String text = text(key);
    if (DURATION.matcher(text).matches()) {
      BigDecimal nanos = new BigDecimal(text.substring(0, text.length() - 1)).movePointRight(9);
      if (nanos.signum() > 0 && nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0) {
        return Duration.ofNanos(nanos.longValueExact());
      }
    }
    throw wrong(key, "a duration in seconds, as `0.200s`");
  }

  IllegalArgumentException wrong(String key, String wanted) {
    return new IllegalArgumentException(
        path + "." + key + (object.has(key) ? " is not " + wanted + ": " + object.get(key) : " is missing"));
  }
}
