//! The program itself: signals, files, exit codes.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http_body_util::BodyExt;

use crate::harness::{Caller, Talk, Upstream, event_stream, send};

pub(crate) struct Program {
    child: Child,
    file: PathBuf,
    _directory: tempfile::TempDir,
    log: Arc<Mutex<Vec<String>>>,
}

impl Program {
    pub(crate) fn serve(config: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("affinity.toml");
        std::fs::write(&file, config).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_affinity"))
            .args(["serve", "--config"])
            .arg(&file)
            .env("KEY_FOR_TEST", "sk-very-secret")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let (lines, stderr) = (Arc::clone(&log), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            let read = BufReader::new(stderr).lines();
            read.map_while(Result::ok)
                .for_each(|line| lines.lock().unwrap().push(line));
        });
        Self {
            child,
            file,
            _directory: directory,
            log,
        }
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    pub(crate) async fn wait_for(&self, text: &str) -> String {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) {
            let found = self
                .log
                .lock()
                .unwrap()
                .iter()
                .find(|l| l.contains(text))
                .cloned();
            if let Some(line) = found {
                return line;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never logged {text:?}:\n{}", self.log());
    }

    pub(crate) async fn addr(&self) -> SocketAddr {
        let line = self.wait_for("serving").await;
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        json["addr"].as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) async fn exit_code(&mut self) -> Option<i32> {
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn config(channels: &[(&str, &Upstream)]) -> String {
    let mut text = "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nformat = \"json\"\n".to_owned();
    for (name, upstream) in channels {
        text += &format!(
            "[[channels]]\nname = \"{name}\"\nbase_url = \"http://{}\"\ndialects = [\"openai-chat\"]\nkey_env = \"KEY_FOR_TEST\"\n",
            upstream.addr
        );
    }
    text
}

#[tokio::test]
async fn the_configuration_is_reloaded_and_a_bad_one_refused() {
    let (one, two) = (Upstream::good().await, Upstream::good().await);
    let program = Program::serve(&config(&[("one", &one)]));
    let caller = Caller::at(program.addr().await);
    let talk = Talk::new("a private question");
    assert_eq!(caller.chat(&talk).await.channel(), "one");

    std::fs::write(&program.file, "channels = nonsense").unwrap();
    program.signal("-HUP");
    program.wait_for("configuration refused").await;
    assert_eq!(caller.chat(&talk).await.channel(), "one");

    // Without a signal: the change of the file is enough.
    std::fs::write(&program.file, config(&[("two", &two)])).unwrap();
    program.wait_for("configuration reloaded").await;
    assert_eq!(caller.chat(&talk).await.channel(), "two");

    // What only a restart would change is named, and not changed.
    let changed = config(&[("two", &two)]).replace("127.0.0.1:0", "127.0.0.1:1");
    std::fs::write(&program.file, changed).unwrap();
    program.signal("-HUP");
    let warning = program.wait_for("read at start only").await;
    assert!(
        warning.contains("WARN") && warning.contains("server.listen"),
        "{warning}"
    );
    assert_eq!(caller.chat(&talk).await.channel(), "two");

    program.wait_for("\"channel\":\"two\"").await;
    let log = program.log();
    for secret in ["a private question", "sk-very-secret", "Bearer"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[tokio::test]
async fn sigterm_lets_streams_end() {
    let upstream = Upstream::start(|_, _| async {
        let (mut sender, response) = event_stream();
        tokio::spawn(async move {
            for _ in 0..5 {
                send(&mut sender, "data: x\n\n").await;
                tokio::time::sleep(Duration::from_millis(60)).await;
            }
        });
        response
    })
    .await;
    let mut program = Program::serve(&config(&[("one", &upstream)]));
    let addr = program.addr().await;
    let answer = Caller::at(addr)
        .open("/v1/chat/completions", &Talk::new("hi").chat())
        .await;
    program.signal("-TERM");
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "data: x\n\n".repeat(5));
    assert_eq!(program.exit_code().await, Some(0));
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_second_signal_waits_for_nobody() {
    let upstream = Upstream::start(|_, _| async {
        let (mut sender, response) = event_stream();
        send(&mut sender, "data: x\n\n").await;
        tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(sender);
        });
        response
    })
    .await;
    let mut program = Program::serve(&config(&[("one", &upstream)]));
    let caller = Caller::at(program.addr().await);
    let talk = Talk::new("hi").chat();
    let _stream = caller.open("/v1/chat/completions", &talk).await;
    let started = Instant::now();
    program.signal("-INT");
    program.wait_for("shutting down").await;
    program.signal("-INT");
    assert_eq!(program.exit_code().await, Some(0));
    assert!(started.elapsed() < Duration::from_secs(10), "not the grace");
    program.wait_for("\"outcome\":\"gateway-cut\"").await;
}

#[tokio::test]
async fn check_config_says_what_serve_would() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    let check = || {
        let output = Command::new(env!("CARGO_BIN_EXE_affinity"))
            .args(["check-config", "--config"])
            .arg(&file)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let upstream = Upstream::good().await;
    let good = config(&[("one", &upstream)]).replace("key_env = \"KEY_FOR_TEST\"\n", "");
    std::fs::write(&file, &good).unwrap();
    let (code, text) = check();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("good: 1 channels"), "{text}");
    std::fs::write(&file, good.replace("openai-chat", "openai-chatter")).unwrap();
    let (code, text) = check();
    assert_eq!(code, Some(1));
    assert!(
        text.contains("affinity.toml:8:13: channels[0].dialects[0]: unknown variant"),
        "{text}"
    );
}

#[tokio::test]
async fn a_variable_that_is_no_text_does_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    let upstream = Upstream::good().await;
    std::fs::write(&file, config(&[("one", &upstream)])).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_affinity"))
        .args(["check-config", "--skip-keys", "--config"])
        .arg(&file)
        .env("SOMEBODY_ELSES", OsStr::from_bytes(b"\xff"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn output_that_nobody_reads_is_no_crash() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    let channel = "[[channels]]\nname = \"a\"\nbase_url = \"http://h\"\ndialects = [\"gemini\"]\n";
    std::fs::write(&file, channel).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut check = Command::new(env!("CARGO_BIN_EXE_affinity"));
    check.args(["check-config", "--config"]).arg(&file);
    let status = check.stdout(writer.try_clone().unwrap()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    // The reason goes nowhere; the exit code stays.
    std::fs::write(&file, "nonsense").unwrap();
    let status = check.stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn requests_are_served_when_the_log_has_no_reader() {
    let upstream = Upstream::good().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    std::fs::write(&file, config(&[("one", &upstream)])).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_affinity"))
        .args(["serve", "--config"])
        .arg(&file)
        .env("KEY_FOR_TEST", "sk-very-secret")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let serving = log.find_map(|line| line.ok().filter(|line| line.contains("serving")));
    drop(log);
    let serving: serde_json::Value = serde_json::from_str(&serving.unwrap()).unwrap();
    let caller = Caller::at(serving["addr"].as_str().unwrap().parse().unwrap());
    let talk = Talk::new("hi");
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(caller.chat(&talk).await.status.as_u16());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(statuses, [200, 200, 200]);
}
