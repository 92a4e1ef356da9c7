//! Parsing and printing deployers.

use super::*;

#[test]
fn parses_tool_and_options() {
    let deployer: Deployer = "argocd:selfHeal=true,version=3.2".parse().unwrap();
    assert_eq!(deployer.tool, Tool::Argocd);
    assert_eq!(deployer.argocd().self_heal, Some(true));
    assert!(deployer.since(&[3, 2]) && !deployer.since(&[3, 3]));
    assert_eq!(deployer.to_string(), "argocd:selfHeal=true,version=3.2");
}

#[test]
fn options_of_another_tool_are_unset() {
    let deployer: Deployer = "flux:force=true".parse().unwrap();
    assert_eq!((deployer.argocd().force, deployer.flux().force), (None, Some(true)));
}

#[test]
fn compares_versions() {
    let since = |text: &str, version: &[u32]| text.parse::<Deployer>().unwrap().since(version);
    assert!(since("argocd", &[3, 3]));
    assert!(since("argocd:version=3.3", &[3, 3, 5]));
    assert!(!since("argocd:version=3.3.4", &[3, 3, 5]));
    assert!(since("argocd:version=3.10", &[3, 9]));
    assert!(!since("argocd:version=2.14.20", &[3, 0]));
}

#[test]
fn errors_name_what_is_accepted() {
    let error = |text: &str| text.parse::<Deployer>().unwrap_err().to_string();
    assert!(error("argo").starts_with("unknown deployer `argo`, expected one of helm3"));
    assert_eq!(
        error("fleet:self=true"),
        "fleet has no option `self`, expected one of version, correctDrift, force"
    );
    assert_eq!(
        error("helm3:timeout=5"),
        "`timeout` takes a duration such as 90s, 5m or 1h30m, not `5`"
    );
    assert_eq!(error("helm4:apply=patch"), "`apply` takes one of ssa, csa, not `patch`");
}
