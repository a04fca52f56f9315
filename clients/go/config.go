// Package publisherconfig reads a publisher configuration that hedgerow rendered, and gives its settings to publishers
// of cloud.google.com/go/pubsub/v2.
//
// A file is taken as it is or refused: what the package does not know, and what the library would refuse, replace by
// a default or ignore, is an error.
package publisherconfig

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/pubsub/v2"
)

// Config is the configuration of one service.
type Config struct {
	Service string
	topics  map[string]Topic
}

// Topic is how the service publishes to one topic.
type Topic struct {
	Name            string
	Endpoint        string // host and port, for option.WithEndpoint
	MessageOrdering bool
	Settings        pubsub.PublishSettings
}

// Load reads a file; its errors name the file.
func Load(path string) (*Config, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return config, nil
}

// Parse reads a document; its errors name the topic.
func Parse(content []byte) (*Config, error) {
	read, err := decode(content)
	if err != nil {
		return nil, err
	}
	if read.Language != "go" {
		return nil, fmt.Errorf("service %q is configured for %q, not for \"go\"", read.Service, read.Language)
	}
	config := &Config{Service: read.Service, topics: map[string]Topic{}}
	for name, body := range read.Topics {
		settings, err := body.settings()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		config.topics[name] = Topic{name, body.Endpoint, body.MessageOrdering, settings}
	}
	return config, nil
}

// Topic is the configuration of a topic, by its full name.
func (c *Config) Topic(name string) (Topic, error) {
	topic, found := c.topics[name]
	if !found {
		return Topic{}, fmt.Errorf("service %q has no configuration for %q", c.Service, name)
	}
	return topic, nil
}

// Publisher makes a publisher of the topic, of a client that was made with the topic's Endpoint.
func (t Topic) Publisher(client *pubsub.Client) *pubsub.Publisher {
	publisher := client.Publisher(t.Name)
	publisher.PublishSettings = t.Settings
	publisher.EnableMessageOrdering = t.MessageOrdering
	return publisher
}

func (t topic) settings() (pubsub.PublishSettings, error) {
	settings := pubsub.DefaultPublishSettings
	settings.Timeout = time.Duration(t.Retry.TotalTimeout)
	if t.Retry.InitialRPCTimeout != t.Retry.TotalTimeout || t.Retry.MaxRPCTimeout != t.Retry.TotalTimeout {
		return settings, errors.New("the Go library has one timeout for all attempts, so the three must be equal")
	}
	if t.Batching.MaxMessages > pubsub.MaxPublishRequestCount {
		return settings, fmt.Errorf("a batch of %d messages would be cut to %d", t.Batching.MaxMessages, pubsub.MaxPublishRequestCount)
	}
	settings.CountThreshold = cmp.Or(t.Batching.MaxMessages, settings.CountThreshold)
	settings.ByteThreshold = cmp.Or(t.Batching.MaxBytes, settings.ByteThreshold)
	settings.DelayThreshold = cmp.Or(time.Duration(t.Batching.MaxLatency), settings.DelayThreshold)
	flow := &settings.FlowControlSettings
	flow.MaxOutstandingMessages = cmp.Or(t.FlowControl.MaxOutstandingMessages, flow.MaxOutstandingMessages)
	flow.MaxOutstandingBytes = cmp.Or(t.FlowControl.MaxOutstandingBytes, flow.MaxOutstandingBytes)
	flow.LimitExceededBehavior = behaviors[t.FlowControl.LimitExceededBehavior]
	if t.Hedging == nil {
		return settings, nil
	}
	if t.MessageOrdering || t.Hedging.HedgeDelay >= t.Retry.TotalTimeout {
		return settings, errors.New("the Go library hedges neither ordered messages nor after the timeout")
	}
	hedging := pubsub.HedgingSettings{
		Delay:       time.Duration(t.Hedging.HedgeDelay),
		MaxTokens:   t.Hedging.MaxTokens,
		RefillRatio: t.Hedging.RefillRatio,
	}
	// The library would take a zero for its default, and complain about other values only when publishing.
	if hedging.Delay < 100*time.Millisecond || hedging.Delay > 10*time.Second ||
		hedging.MaxTokens < 1 || hedging.MaxTokens > 250 || hedging.RefillRatio < 0.001 || hedging.RefillRatio > 0.2 {
		return settings, fmt.Errorf("hedging %+v is outside 100ms to 10s, 1 to 250 tokens, ratio 0.001 to 0.2", hedging)
	}
	settings.HedgingSettings = &hedging
	return settings, nil
}
