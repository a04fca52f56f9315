// Conformance answers what the real library does with settings: a JSON request a line on standard input, an answer a
// line on standard output. Hedgerow's own tests drive it, and its counterparts in Java and Rust; see tests/clients.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	publisherconfig "hedgerow/clients/go"
)

// request asks for a publisher from a document, through the loader, or from raw settings, past it.
type request struct {
	Document json.RawMessage `json:"document"`
	Topic    string          `json:"topic"`
	Raw      *raw            `json:"raw"`
	Endpoint string          `json:"endpoint"` // plain text, instead of the document's
	Rounds   []int           `json:"rounds"`   // how many messages to publish at once, round after round
}

type raw struct {
	DelayNanos  int64  `json:"delayNanos"`
	MaxTokens   int64  `json:"maxTokens"`
	RefillRatio string `json:"refillRatio"` // text, as JSON has no NaN
	Ordering    bool   `json:"ordering"`
	TotalNanos  int64  `json:"totalNanos"`
	MaxMessages int    `json:"maxMessages"`
	MaxBytes    int    `json:"maxBytes"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		answer := map[string]any{}
		if stage, err := respond(line, answer); err != nil {
			answer["stage"], answer["error"] = stage, err.Error()
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}

func respond(line []byte, answer map[string]any) (string, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return "request", err
	}
	ctx := context.Background()
	client, err := pubsub.NewClient(ctx, "unused", option.WithEndpoint(asked.Endpoint), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		return "client", err
	}
	defer client.Close()
	publisher, err := asked.publisher(client)
	if err != nil {
		return "load", err
	}
	defer publisher.Stop()
	var took []int64
	for _, messages := range asked.Rounds {
		start := time.Now()
		results := make([]*pubsub.PublishResult, messages)
		for index := range results {
			results[index] = publisher.Publish(ctx, &pubsub.Message{Data: []byte("message")})
		}
		for _, result := range results {
			if _, err := result.Get(ctx); err != nil {
				return "publish", err
			}
		}
		took = append(took, time.Since(start).Milliseconds())
	}
	answer["took"], answer["effective"] = took, effective(publisher)
	return "", nil
}

func (r request) publisher(client *pubsub.Client) (*pubsub.Publisher, error) {
	if r.Raw == nil {
		config, err := publisherconfig.Parse(r.Document)
		if err != nil {
			return nil, err
		}
		topic, err := config.Topic(r.Topic)
		if err != nil {
			return nil, err
		}
		return topic.Publisher(client), nil
	}
	ratio, err := strconv.ParseFloat(r.Raw.RefillRatio, 64)
	if err != nil {
		return nil, err
	}
	publisher := client.Publisher(r.Topic)
	publisher.EnableMessageOrdering = r.Raw.Ordering
	publisher.PublishSettings.Timeout = time.Duration(r.Raw.TotalNanos)
	publisher.PublishSettings.CountThreshold = r.Raw.MaxMessages
	publisher.PublishSettings.ByteThreshold = r.Raw.MaxBytes
	publisher.PublishSettings.HedgingSettings = &pubsub.HedgingSettings{
		Delay: time.Duration(r.Raw.DelayNanos), MaxTokens: r.Raw.MaxTokens, RefillRatio: ratio,
	}
	return publisher, nil
}

// effective reads what the library has made of the settings at the first publish, from fields that it does not export:
// after an upgrade that renames them this panics, and somebody looks.
func effective(publisher *pubsub.Publisher) map[string]any {
	fields := reflect.ValueOf(publisher).Elem()
	scheduler := fields.FieldByName("scheduler").Elem()
	flow := fields.FieldByName("flowController")
	return map[string]any{
		"delayMicros":       fields.FieldByName("hedgingDelay").Int() / 1000,
		"maxTokens":         fields.FieldByName("hedgingMaxMilliTokens").Int() / 1000,
		"refillThousandths": fields.FieldByName("hedgingRefillMilliTokens").Int(),
		"ordering":          publisher.EnableMessageOrdering,
		"initialMicros":     publisher.PublishSettings.Timeout.Microseconds(),
		"maximumMicros":     publisher.PublishSettings.Timeout.Microseconds(),
		"totalMicros":       publisher.PublishSettings.Timeout.Microseconds(),
		"maxMessages":       scheduler.FieldByName("BundleCountThreshold").Int(),
		"maxBytes":          scheduler.FieldByName("BundleByteThreshold").Int(),
		"maxLatencyMicros":  scheduler.FieldByName("DelayThreshold").Int() / 1000,
		"outstanding": []int64{
			flow.FieldByName("maxCount").Int(), flow.FieldByName("maxSize").Int(),
		},
		"limitExceeded": map[int64]string{0: "ignore", 1: "block", 2: "error"}[flow.FieldByName("limitBehavior").Int()],
	}
}
