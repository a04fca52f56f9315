package hedgerow.examples.checkout;

import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.cloud.spring.pubsub.core.PubSubTemplate;
import hedgerow.spring.RenderedPublishers;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Takes orders, one a line, from standard input, publishes each and prints the id of its message. */
@SpringBootApplication
@Import(RenderedPublishers.class)
public class Checkout {
  public static void main(String[] arguments) {
    System.exit(SpringApplication.exit(SpringApplication.run(Checkout.class, arguments)));
  }

  @Bean
  CommandLineRunner orders(PubSubTemplate pubsub, @Value("${checkout.topic}") String topic) {
    return arguments -> {
      BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        System.out.println(pubsub.publish(topic, order).get());
      }
    };
  }

  /** The sandbox asks for none. */
  @Bean
  @ConditionalOnProperty("spring.cloud.gcp.pubsub.emulator-host")
  CredentialsProvider credentials() {
    return NoCredentialsProvider.create();
  }
}
