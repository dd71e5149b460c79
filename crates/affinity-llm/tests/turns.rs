//! Turn N and turn N+1 as clients really send them.

mod common;

use common::{last_link_recurs, links};
use serde_json::json;

#[test]
fn a_turn_is_a_prefix_of_the_next() {
    for path in ["/v1/chat/completions", "/v1/messages"] {
        let first = json!({"messages": [{"role": "user", "content": "hi"}]});
        let second = json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "more"},
        ]});
        last_link_recurs(path, &first, &second);
        assert_eq!(links(path, &second).len(), 3);
    }
}
