// Publish publishes messages to a topic as a generated file says.
//
//	go run ./examples/publish checkout.json projects/acme-orders-prod/topics/orders 20
//
// With PUBSUB_EMULATOR_HOST set, as `hedgerow sandbox env` does, it talks to the sandbox.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"

	publisherconfig "hedgerow/clients/go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: publish FILE TOPIC COUNT")
	}
	if err := publish(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal("error: ", err)
	}
}

func publish(ctx context.Context, file, name, number string) error {
	count, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	config, err := publisherconfig.Load(file)
	if err != nil {
		return err
	}
	topic, err := config.Topic(name)
	if err != nil {
		return err
	}
	var options []option.ClientOption
	if os.Getenv("PUBSUB_EMULATOR_HOST") == "" {
		options = append(options, option.WithEndpoint(topic.Endpoint))
	}
	client, err := pubsub.NewClient(ctx, strings.Split(name, "/")[1], options...)
	if err != nil {
		return err
	}
	defer client.Close()
	publisher := topic.Publisher(client)
	defer publisher.Stop()
	for message := range count {
		result := publisher.Publish(ctx, &pubsub.Message{Data: fmt.Appendf(nil, "message %d", message)})
		id, err := result.Get(ctx)
		if err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}
