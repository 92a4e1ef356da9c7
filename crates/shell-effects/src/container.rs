//! The container in which a command line runs.

/// What the container adds to the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Container {
    /// Mount paths of volumes that outlive the pod.
    pub persistent_mounts: Vec<String>,
    /// Mount paths of volumes that outlive only the container: an `emptyDir` with `restartPolicy: OnFailure`. The
    /// next try of the same pod finds the files there; another pod does not.
    pub restart_mounts: Vec<String>,
    /// Those of the persistent mounts whose volume a later container of the pod can write to: what is deleted there
    /// is filled again.
    pub refilled_mounts: Vec<String>,
    /// Text files in the pod, such as mounted ConfigMaps.
    pub files: Vec<MountedFile>,
    /// The `sh` of the image is dash or that of busybox.
    pub has_plain_sh: bool,
    /// The `sh` of the image is that of busybox, which knows `pipefail`.
    pub has_busybox: bool,
    /// The `workingDir` of the container.
    pub working_directory: Option<String>,
    /// Environment variables that take a field of the pod, and so hold one word.
    pub pod_fields: Vec<String>,
}

/// A mounted text file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MountedFile {
    /// The absolute path in the container.
    pub path: String,
    /// The content.
    pub text: String,
}

impl Container {
    /// Whether a volume that outlives the pod is mounted at the path.
    pub(crate) fn is_mount(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.persistent_mounts.iter().any(|mount| mount.trim_end_matches('/') == path)
    }

    /// Whether a file at the path outlives the pod.
    pub(crate) fn outlives_pod(&self, path: &str) -> bool {
        is_under(&self.persistent_mounts, path)
    }

    /// Whether the next try finds a file at the path.
    pub fn outlives_container(&self, path: &str) -> bool {
        self.outlives_pod(path) || is_under(&self.restart_mounts, path)
    }
}

fn is_under(mounts: &[String], path: &str) -> bool {
    mounts.iter().any(|mount| {
        let mount = mount.trim_end_matches('/');
        path.strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}
