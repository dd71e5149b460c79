//! `affinity serve` as a process, and what the kernel says about it. Linux only: reads `/proc`.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::net::TcpStream;

use crate::upstream::Upstream;

/// A running gateway, ended when dropped.
#[derive(Debug)]
pub(crate) struct Gateway {
    process: Child,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl Gateway {
    /// Starts one with this policy in front of the upstreams.
    pub(crate) async fn start(
        program: &Path,
        policy: &str,
        upstreams: &[Upstream],
    ) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut config = format!("[server]\nlisten = \"{address}\"\n[log]\nlevel = \"warn\"\n");
        config += &format!("[affinity]\npolicy = \"{policy}\"\n");
        for (number, upstream) in upstreams.iter().enumerate() {
            let base_url = upstream.address();
            config += &format!(
                "[[channels]]\nname = \"upstream-{number}\"\nbase_url = \"http://{base_url}\"\n\
                 dialects = [\"openai-chat\"]\n"
            );
        }
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("affinity.toml");
        fs::write(&file, config)?;
        let process = Command::new(program)
            .args(["serve", "--config"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut gateway = Self {
            process,
            address,
            _directory: directory,
        };
        gateway.wait().await?;
        Ok(gateway)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Processor time that it has used so far.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        // `stat` counts in hundredths of a second, too coarse for a short round. The threads that
        // serve live as long as the process.
        let mut nanos = 0;
        for thread in fs::read_dir(self.proc("task"))? {
            let stat = fs::read_to_string(thread?.path().join("schedstat"))?;
            let ran = stat.split(' ').next().and_then(|ran| ran.parse().ok());
            nanos += ran.unwrap_or(0);
        }
        Ok(Duration::from_nanos(nanos))
    }

    /// Open descriptors, and resident memory in MiB.
    pub(crate) fn usage(&self) -> anyhow::Result<(usize, f64)> {
        let descriptors = fs::read_dir(self.proc("fd"))?.count();
        let status = fs::read_to_string(self.proc("status"))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|rest| rest.trim().split(' ').next()?.parse::<f64>().ok());
        Ok((
            descriptors,
            kib.context("/proc/PID/status has no VmRSS")? / 1024.0,
        ))
    }

    fn proc(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.process.id())
    }

    async fn wait(&mut self) -> anyhow::Result<()> {
        for _ in 0..500 {
            if TcpStream::connect(self.address).await.is_ok() {
                return Ok(());
            }
            let ended = self.process.try_wait()?;
            ensure!(
                ended.is_none(),
                "the gateway ended at once; its reason is above"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("the gateway does not listen")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
