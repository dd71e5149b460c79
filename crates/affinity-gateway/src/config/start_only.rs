//! Which keys are read at start only.

use super::sections::Config;

/// The keys that are read at start only and are not the same in both configurations.
pub(crate) fn changed_start_only(
    one: &Config,
    other: &Config,
) -> impl Iterator<Item = &'static str> {
    let compared = compare(one, other).into_iter();
    compared.filter_map(|(key, same)| (!same).then_some(key))
}

/// Each key that is read at start only, and whether it is the same.
fn compare(one: &Config, other: &Config) -> [(&'static str, bool); 18] {
    let (server, log, affinity, limits) = (&one.server, &one.log, &one.affinity, &one.limits);
    let (server2, log2, affinity2, limits2) =
        (&other.server, &other.log, &other.affinity, &other.limits);
    let token = server.admin_token_sha256 == server2.admin_token_sha256;
    let prefix = affinity.min_prefix_bytes == affinity2.min_prefix_bytes;
    let scope = affinity.scope_model == affinity2.scope_model;
    let bounded = affinity.bounded_load == affinity2.bounded_load;
    let connect = limits.connect_timeout == limits2.connect_timeout;
    [
        ("server.listen", server.listen == server2.listen),
        ("server.admin", server.admin == server2.admin),
        ("server.admin_token_sha256", token),
        (
            "server.shutdown_grace",
            server.shutdown_grace == server2.shutdown_grace,
        ),
        ("log.format", log.format == log2.format),
        ("log.level", log.level == log2.level),
        // The variables of a process do not change while it runs, so their names are enough.
        ("affinity.key_env", affinity.key_env == affinity2.key_env),
        ("affinity.limit", affinity.limit == affinity2.limit),
        ("affinity.ttl", affinity.ttl == affinity2.ttl),
        ("affinity.min_prefix_bytes", prefix),
        ("affinity.scope_model", scope),
        ("affinity.bounded_load", bounded),
        ("limits.head", limits.head == limits2.head),
        ("limits.headers", limits.headers == limits2.headers),
        (
            "limits.connections",
            limits.connections == limits2.connections,
        ),
        (
            "limits.head_timeout",
            limits.head_timeout == limits2.head_timeout,
        ),
        (
            "limits.write_timeout",
            limits.write_timeout == limits2.write_timeout,
        ),
        ("limits.connect_timeout", connect),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that the example marks with `(start)`; a marked section stands for all its keys.
    fn marked() -> Vec<String> {
        let example = include_str!("../../../../docs/affinity.example.toml");
        let (mut section, mut whole) = ("", false);
        let mut keys = Vec::new();
        for line in example.lines() {
            let marked = line.contains("# (start)");
            if let Some((name, _)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                (section, whole) = (name, marked);
            } else if let Some((key, _)) = line.split_once(" = ")
                && !key.starts_with('#')
                && (marked || whole)
            {
                keys.push(format!("{section}.{key}"));
            }
        }
        keys
    }

    #[test]
    fn the_example_marks_what_is_read_at_start_only() {
        let config = Config::default();
        let known: Vec<_> = compare(&config, &config).map(|(key, _)| key).into();
        assert_eq!(marked(), known);
    }

    #[test]
    fn only_what_changed_is_named() {
        let one = Config::default();
        let mut other = one.clone();
        assert_eq!(changed_start_only(&one, &other).count(), 0);
        other.limits.body = bytesize::ByteSize::b(1);
        other.limits.head = bytesize::ByteSize::kib(8);
        other.log.level = "debug".into();
        let changed: Vec<_> = changed_start_only(&one, &other).collect();
        assert_eq!(changed, ["log.level", "limits.head"]);
    }
}
