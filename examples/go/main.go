// Checkout takes orders, one a line, from standard input, publishes each to a topic and prints the id of its message.
//
// How it publishes is in the file that hedgerow rendered for it:
//
//	go run . /etc/hedgerow/checkout.json projects/acme-orders-prod/topics/orders
//
// With PUBSUB_EMULATOR_HOST set, as `hedgerow sandbox env` does, it talks to the sandbox.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"

	publisherconfig "hedgerow/clients/go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: checkout FILE TOPIC")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := checkout(ctx, os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		log.Fatal("error: ", err)
	}
}

// checkout publishes every line of orders. A file that the library would not use as it is ends it before the first.
func checkout(ctx context.Context, file, name string, orders io.Reader, ids io.Writer) error {
	config, err := publisherconfig.Load(file)
	if err != nil {
		return err
	}
	topic, err := config.Topic(name)
	if err != nil {
		return err
	}
	client, err := pubsub.NewClient(ctx, strings.Split(name, "/")[1], endpoint(topic)...)
	if err != nil {
		return err
	}
	defer client.Close()
	publisher := topic.Publisher(client)
	defer publisher.Stop()
	lines := bufio.NewScanner(orders)
	for lines.Scan() {
		id, err := publisher.Publish(ctx, &pubsub.Message{Data: []byte(lines.Text())}).Get(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(ids, id)
	}
	return lines.Err()
}

// endpoint leaves the sandbox alone, which the library finds by itself.
func endpoint(topic publisherconfig.Topic) []option.ClientOption {
	if os.Getenv("PUBSUB_EMULATOR_HOST") != "" {
		return nil
	}
	return []option.ClientOption{option.WithEndpoint(topic.Endpoint)}
}
