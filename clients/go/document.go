package publisherconfig

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/pubsub/v2"
)

const formatVersion = "1"

// document is the file, key by key; publisher-config.schema.json describes it.
type document struct {
	Schema        string            `json:"$schema"`
	FormatVersion string            `json:"formatVersion"`
	Service       string            `json:"service"`
	Language      string            `json:"language"`
	ClientLibrary map[string]string `json:"clientLibrary"`
	Topics        map[string]topic  `json:"topics"`
	Source        map[string]string `json:"source"`
}

type topic struct {
	Endpoint        string `json:"endpoint"`
	MessageOrdering bool   `json:"messageOrdering"`
	Retry           struct {
		InitialRPCTimeout    duration `json:"initialRpcTimeout"`
		RPCTimeoutMultiplier float64  `json:"rpcTimeoutMultiplier"`
		MaxRPCTimeout        duration `json:"maxRpcTimeout"`
		TotalTimeout         duration `json:"totalTimeout"`
	} `json:"retry"`
	Batching struct {
		MaxMessages int      `json:"maxMessages,omitempty"`
		MaxBytes    int      `json:"maxBytes,omitempty"`
		MaxLatency  duration `json:"maxLatency,omitzero"`
	} `json:"batching"`
	FlowControl struct {
		MaxOutstandingMessages int      `json:"maxOutstandingMessages,omitempty"`
		MaxOutstandingBytes    int      `json:"maxOutstandingBytes,omitempty"`
		LimitExceededBehavior  behavior `json:"limitExceededBehavior,omitempty"`
	} `json:"flowControl"`
	Hedging *struct {
		HedgeDelay  duration `json:"hedgeDelay"`
		MaxTokens   int64    `json:"maxTokens"`
		RefillRatio float64  `json:"refillRatio"`
	} `json:"hedging,omitempty"`
}

type behavior string

// Without limits that apply, the library ignores them, as is its default.
var behaviors = map[behavior]pubsub.LimitExceededBehavior{
	"":       pubsub.FlowControlIgnore,
	"ignore": pubsub.FlowControlIgnore,
	"block":  pubsub.FlowControlBlock,
	"error":  pubsub.FlowControlSignalError,
}

func (b *behavior) UnmarshalText(text []byte) error {
	*b = behavior(text)
	if _, known := behaviors[*b]; !known || *b == "" {
		return fmt.Errorf("limitExceededBehavior %q is not \"block\", \"error\" or \"ignore\"", text)
	}
	return nil
}

// duration is a protobuf JSON duration, longer than nothing.
type duration time.Duration

var durations = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.([0-9]{3}){1,3})?s$`)

func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || !durations.Match(text) || parsed <= 0 {
		return fmt.Errorf("%q is not a duration in seconds, as \"0.200s\"", text)
	}
	*d = duration(parsed)
	return nil
}

// decode reads a document whose keys are exactly those that are known: none missing, null or in another case.
func decode(content []byte) (*document, error) {
	var version struct {
		FormatVersion string `json:"formatVersion"`
	}
	if err := json.Unmarshal(content, &version); err != nil {
		return nil, err
	}
	if version.FormatVersion != formatVersion {
		return nil, fmt.Errorf("format version %q is not known; this loader reads %q", version.FormatVersion, formatVersion)
	}
	read := &document{}
	if err := compare("", content, reflect.TypeFor[document]()); err != nil {
		return nil, err
	}
	return read, json.Unmarshal(content, read)
}

// compare looks for keys that a shape lacks or that lack of it; encoding/json would pass over them.
func compare(path string, value json.RawMessage, shape reflect.Type) error {
	if string(value) == "null" {
		return fmt.Errorf("%s is null", path)
	}
	if shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	if shape.Kind() != reflect.Struct && shape.Kind() != reflect.Map {
		return nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(value, &keys); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	known := map[string]reflect.Type{}
	for name := range keys {
		if shape.Kind() == reflect.Map {
			known[name] = shape.Elem()
		}
	}
	if shape.Kind() == reflect.Struct {
		for index := range shape.NumField() {
			name, options, _ := strings.Cut(shape.Field(index).Tag.Get("json"), ",")
			known[name] = shape.Field(index).Type
			if _, found := keys[name]; !found && options == "" {
				return fmt.Errorf("%s.%s is missing", path, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if known[name] == nil {
			return fmt.Errorf("%s.%s is not known", path, name)
		}
		if err := compare(path+"."+name, keys[name], known[name]); err != nil {
			return err
		}
	}
	return nil
}
