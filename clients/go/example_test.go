package publisherconfig_test

import (
	"context"
	"log"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"

	publisherconfig "hedgerow/clients/go"
)

func Example() {
	ctx := context.Background()
	config, err := publisherconfig.Load("/etc/hedgerow/checkout.json")
	if err != nil {
		log.Fatal(err)
	}
	topic, err := config.Topic("projects/acme-orders-prod/topics/orders")
	if err != nil {
		log.Fatal(err)
	}
	client, err := pubsub.NewClient(ctx, "acme-orders-prod", option.WithEndpoint(topic.Endpoint))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	publisher := topic.Publisher(client)
	defer publisher.Stop()
}
