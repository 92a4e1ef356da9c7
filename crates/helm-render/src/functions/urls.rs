//! `urlParse` and `urlJoin`: Go's `net/url`.

mod url;

use go_template::{Data, Executor, FuncError, FunctionSpec, Value};

use self::url::{Url, userinfo};
use super::args::{MAP, Outcome, STRING, failure, map, str};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("urlParse", &[STRING], MAP, url_parse).own_taint(),
    FunctionSpec::new("urlJoin", &[MAP], STRING, url_join),
];

fn url_parse(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let text = str(&arguments[0]);
    let url = Url::parse(&text)
        .map_err(|error| FuncError::new(format!("unable to parse url: {error}")))?;
    let taint = arguments[0].observed(&mut context.tracker);
    let parts = [
        ("scheme", url.scheme.clone()),
        ("host", url.host.clone()),
        ("hostname", url.hostname().to_owned()),
        ("path", url.path.clone()),
        ("query", url.query.clone()),
        ("opaque", url.opaque.clone()),
        ("fragment", url.fragment.clone()),
        ("userinfo", url.userinfo.as_ref().map(ToString::to_string).unwrap_or_default()),
    ];
    let entry = |(name, part): (&str, String)| (name.into(), Value::from(part).with_taint(taint));
    Ok(parts.into_iter().map(entry).collect())
}

fn url_join(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let parts = map(&arguments[0]);
    let part = |key: &str| match parts.get(key) {
        None => Ok(String::new()),
        Some(value) => match value.data() {
            Data::String(text) => Ok(text.to_str().into_owned()),
            Data::Nil | Data::NilInterface => failure(crate::go_objects::NIL_DEREFERENCE),
            _ => {
                let kind = value.kind_name();
                failure(format!(
                    "unable to parse {key} key, must be of type string, but {kind} found"
                ))
            }
        },
    };
    let mut url = Url {
        scheme: part("scheme")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        opaque: part("opaque")?,
        fragment: part("fragment")?,
        ..Url::default()
    };
    let user = part("userinfo")?;
    if !user.is_empty() {
        let parsed = userinfo(&user).map_err(|error| {
            FuncError::new(format!("unable to parse userinfo in dict: {error}"))
        })?;
        url.userinfo = parsed;
    }
    Ok(Value::from(url.to_string()))
}
