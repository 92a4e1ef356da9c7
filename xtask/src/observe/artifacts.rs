//! Serves the artifacts of sources to Flux controllers: archives in memory, over HTTP.

use std::{
    collections::HashMap,
    env,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// Environment variable with the address that controllers can reach, with or without a port.
const ADDRESS: &str = "ARTIFACTS";
const LOOPBACK: &str = "127.0.0.1:0";

type Archives = Arc<Mutex<HashMap<String, Vec<u8>>>>;

/// The server.
#[derive(Debug)]
pub struct Artifacts {
    address: SocketAddr,
    archives: Archives,
}

/// An archive that is served.
#[derive(Clone, Debug)]
pub struct Artifact {
    pub url: String,
    /// Its path on the server.
    pub path: String,
    /// `sha256:…`.
    pub digest: String,
    /// In bytes.
    pub size: usize,
}

impl Artifacts {
    /// Starts to serve, until the process ends.
    pub fn serve() -> Self {
        let address = env::var(ADDRESS).unwrap_or_else(|_| LOOPBACK.to_owned());
        let listener = TcpListener::bind(address).expect("an address for the artifacts");
        let address = listener.local_addr().expect("an address");
        let archives = Archives::default();
        let shared = archives.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let archives = shared.clone();
                thread::spawn(move || answer(stream, &archives));
            }
        });
        Self { address, archives }
    }

    /// Packs the files of a folder below `prefix` and serves the archive.
    pub fn offer(&self, folder: &Path, prefix: &str) -> Artifact {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        archive.mode(tar::HeaderMode::Deterministic);
        archive.append_dir_all(prefix, folder).expect("an archive");
        let bytes = archive.into_inner().and_then(GzEncoder::finish).expect("an archive");
        let digest: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let path = format!("{digest}.tar.gz");
        let size = bytes.len();
        self.archives.lock().expect("archives").insert(path.clone(), bytes);
        let url = format!("http://{}/{path}", self.address);
        Artifact { url, path, digest: format!("sha256:{digest}"), size }
    }
}

/// One request, one answer.
fn answer(mut stream: TcpStream, archives: &Archives) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let found = archives.lock().expect("archives").get(path).cloned();
    let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
    let body = found.unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/gzip\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // A client that has hung up needs no answer.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}
