package publisherconfig

import (
	"os"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
)

const (
	file     = "../testdata/go.json"
	orders   = "projects/acme-orders-prod/topics/orders"
	payments = "projects/acme-orders-prod/topics/payments"
)

func TestAHedgedTopicGetsTheLibrarysOwnSettings(t *testing.T) {
	topic := load(t, orders)
	want := pubsub.PublishSettings{
		DelayThreshold: 5 * time.Millisecond,
		CountThreshold: 50,
		ByteThreshold:  1e6,
		Timeout:        60 * time.Second,
		FlowControlSettings: pubsub.FlowControlSettings{
			MaxOutstandingMessages: 1000, MaxOutstandingBytes: -1, LimitExceededBehavior: pubsub.FlowControlIgnore,
		},
		CompressionBytesThreshold: 240,
	}
	hedging := topic.Settings.HedgingSettings
	topic.Settings.HedgingSettings = nil
	if topic.Settings != want {
		t.Errorf("settings are %+v, not %+v", topic.Settings, want)
	}
	if *hedging != (pubsub.HedgingSettings{Delay: 200 * time.Millisecond, MaxTokens: 100, RefillRatio: 0.05}) {
		t.Errorf("hedging is %+v", *hedging)
	}
	if topic.Endpoint != "pubsub.googleapis.com:443" || topic.MessageOrdering || topic.Name != orders {
		t.Errorf("topic is %+v", topic)
	}
}

func TestAnOrderedTopicIsNotHedged(t *testing.T) {
	topic := load(t, payments)
	flow := pubsub.FlowControlSettings{
		MaxOutstandingMessages: 1000, MaxOutstandingBytes: 10485760, LimitExceededBehavior: pubsub.FlowControlBlock,
	}
	if !topic.MessageOrdering || topic.Settings.HedgingSettings != nil || topic.Settings.FlowControlSettings != flow {
		t.Errorf("topic is %+v", topic)
	}
	if topic.Endpoint != "europe-west1-pubsub.googleapis.com:443" {
		t.Errorf("endpoint is %s", topic.Endpoint)
	}
}

func TestWhatIsNotKnownIsRefusedByName(t *testing.T) {
	for _, change := range []struct{ from, to, want string }{
		{`"formatVersion": "1"`, `"formatVersion": "2"`, `format version "2" is not known; this loader reads "1"`},
		{`"formatVersion": "1",`, ``, `format version "" is not known; this loader reads "1"`},
		{`"language": "go"`, `"language": "java"`, `service "checkout" is configured for "java", not for "go"`},
		{`"service"`, `"Service"`, `.service is missing`},
		{`"hedgeDelay"`, `"delay"`, `.topics.` + orders + `.hedging.hedgeDelay is missing`},
		{`"maxTokens": 100,`, `"maxTokens": 100, "MaxTokens": 1,`, `.topics.` + orders + `.hedging.MaxTokens is not known`},
		{`"maxMessages": 50`, `"maxMessages": null`, `.topics.` + orders + `.batching.maxMessages is null`},
		{`"0.200s"`, `"200ms"`, `"200ms" is not a duration in seconds, as "0.200s"`},
		{`"0.200s"`, `"0s"`, `"0s" is not a duration in seconds, as "0.200s"`},
		{`"block"`, `"wait"`, `limitExceededBehavior "wait" is not "block", "error" or "ignore"`},
		{`"maxTokens": 100`, `"maxTokens": 0`, orders + `: hedging {Delay:200ms MaxTokens:0 RefillRatio:0.05} is outside 100ms to 10s, 1 to 250 tokens, ratio 0.001 to 0.2`},
		{`"messageOrdering": false`, `"messageOrdering": true`, orders + `: the Go library hedges neither ordered messages nor after the timeout`},
		{`"maxMessages": 50`, `"maxMessages": 1001`, orders + `: a batch of 1001 messages would be cut to 1000`},
		{`"initialRpcTimeout": "60s"`, `"initialRpcTimeout": "5s"`, orders + `: the Go library has one timeout for all attempts, so the three must be equal`},
	} {
		_, err := Parse([]byte(strings.Replace(read(t), change.from, change.to, 1)))
		if err == nil || err.Error() != change.want {
			t.Errorf("%s: error is %q, not %q", change.to, err, change.want)
		}
	}
}

func TestATopicThatTheServiceDoesNotPublishToIsAnError(t *testing.T) {
	config, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `service "checkout" has no configuration for "projects/acme-orders-prod/topics/other"`
	if _, err := config.Topic("projects/acme-orders-prod/topics/other"); err == nil || err.Error() != want {
		t.Errorf("error is %q, not %q", err, want)
	}
}

func load(t *testing.T, name string) Topic {
	t.Helper()
	config, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	topic, err := config.Topic(name)
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

func read(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
