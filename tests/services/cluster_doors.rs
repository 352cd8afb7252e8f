//! Who may use a cluster: those who have its credentials.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::cluster::{assert_rows, embedded, sql};
use crate::cluster_process::ClusterProcess;
use crate::support::{checkout, sample};
use crate::turns;

/// A copy of the certificates of the tests with a token of its own.
fn credentials(folder: &Path, token: &str) -> String {
    let target = folder.join(token);
    std::fs::create_dir(&target).expect("a folder");
    for name in ["ca.pem", "cert.pem", "key.pem"] {
        std::fs::copy(checkout().join("tests/services/credentials").join(name), target.join(name)).expect("a copy");
    }
    std::fs::write(target.join("token"), token).expect("a token");
    for secret in ["key.pem", "token"] {
        std::fs::set_permissions(target.join(secret), std::fs::Permissions::from_mode(0o600)).expect("permissions");
    }
    target.to_str().expect("UTF-8").to_string()
}

#[test]
fn only_who_has_the_credentials_uses_the_cluster() {
    let _turn = turns::beside_others();
    let folder = tempfile::tempdir().expect("a folder");
    let right = credentials(folder.path(), "the right token of this test");
    let wrong = credentials(folder.path(), "another token that is long enough");
    let (_scheduler, address) = ClusterProcess::start(&["scheduler", "--bind", "127.0.0.1:0", "--credentials", &right]);
    let executor = |_| ClusterProcess::start(&["executor", "--scheduler", &address, "--credentials", &right]).0;
    let _executors: Vec<ClusterProcess> = (0..2).map(executor).collect();
    let trace = sample("quickstart.trace");
    let trace = trace.to_str().expect("UTF-8");
    let query = "SELECT type, value, count(*) AS n FROM states GROUP BY type, value ORDER BY type, value";
    let with = |folder: &str| sql(&["--cluster", &address, "--cluster-credentials", folder], trace, query);
    assert_rows(&with(&right), &embedded(trace, query));
    let refused = with(&wrong);
    let error = String::from_utf8_lossy(&refused.stderr).to_string();
    assert!(refused.status.code() == Some(1) && error.contains("token of this cluster"), "{error}");
    let without = sql(&["--cluster", &address], trace, query);
    let error = String::from_utf8_lossy(&without.stderr).to_string();
    assert!(without.status.code() == Some(1) && error.contains("takes only who has them"), "{error}");
}
