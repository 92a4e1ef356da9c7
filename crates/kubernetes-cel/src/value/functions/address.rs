//! IP addresses and networks.

use std::fmt;
use std::net::IpAddr;

use crate::value::{Inner, Opaque, Value};

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("ip", |call| match call.arguments {
        [Value::String(text)] => address(text).map(ip),
        [Value::Opaque(Opaque(Inner::Cidr(network)))] => Ok(ip(network.address)),
        _ => Err(Failure::NoOverload),
    }),
    ("isIP", |call| Ok(Value::Bool(address(text(call)?).is_ok()))),
    ("ip.isCanonical", |call| {
        let text = text(call)?;
        address(text).map(|address| Value::Bool(address.to_string() == text))
    }),
    ("family", |call| one(call).map(|address| Value::Int(if address.0.is_ipv4() { 4 } else { 6 }))),
    ("isUnspecified", |call| is(call, |address| address.0.is_unspecified())),
    ("isLoopback", |call| is(call, |address| address.0.is_loopback())),
    ("isLinkLocalMulticast", |call| is(call, Address::is_link_local_multicast)),
    ("isLinkLocalUnicast", |call| is(call, Address::is_link_local_unicast)),
    ("isGlobalUnicast", |call| is(call, Address::is_global_unicast)),
    ("cidr", |call| {
        let parsed = network(text(call)?).map_err(|error| format!("{FAILED}{error}"))?;
        Ok(Value::Opaque(Opaque(Inner::Cidr(parsed))))
    }),
    ("isCIDR", |call| Ok(Value::Bool(network(text(call)?).is_ok()))),
    ("containsIP", contains_ip),
    ("containsCIDR", contains_network),
    ("prefixLength", |call| Ok(Value::Int(of_network(call)?.bits.into()))),
    ("masked", |call| Ok(Value::Opaque(Opaque(Inner::Cidr(of_network(call)?.masked()))))),
];

const FAILED: &str = "network address parse error during conversion from string: ";

/// An IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(IpAddr);

/// A network: an address, and how many of its bits all addresses of the network share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    address: Address,
    bits: u8,
}

impl Network {
    /// The bytes that the prefix fills, as cel-go counts the size of a network.
    pub(crate) fn size(&self) -> usize {
        usize::from(self.bits.div_ceil(8))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Address {
    /// The address as a number, from the most significant bit on.
    fn bits(self) -> u128 {
        match self.0 {
            IpAddr::V4(address) => u128::from(u32::from(address)) << 96,
            IpAddr::V6(address) => u128::from(address),
        }
    }

    fn is_link_local_multicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
            IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
        }
    }

    fn is_link_local_unicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
    }

    fn is_global_unicast(self) -> bool {
        let is_broadcast = matches!(self.0, IpAddr::V4(address) if address.is_broadcast());
        let is_special = self.0.is_unspecified() || self.0.is_loopback() || self.0.is_multicast();
        !(is_broadcast || is_special || self.is_link_local_unicast())
    }
}

impl Network {
    fn mask(self) -> u128 {
        u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0)
    }

    fn contains(self, address: Address) -> bool {
        let same_family = self.address.0.is_ipv4() == address.0.is_ipv4();
        same_family && (self.address.bits() ^ address.bits()) & self.mask() == 0
    }

    fn masked(self) -> Self {
        let bits = self.address.bits() & self.mask();
        let address = match self.address.0 {
            IpAddr::V4(_) => IpAddr::V4(u32::try_from(bits >> 96).expect("32 bits").into()),
            IpAddr::V6(_) => IpAddr::V6(bits.into()),
        };
        Self { address: Address(address), ..self }
    }
}

fn ip(address: Address) -> Value {
    Value::Opaque(Opaque(Inner::Ip(address)))
}

fn text<'c>(call: &Call<'c>) -> Result<&'c str, Failure> {
    match call.arguments {
        [Value::String(text)] => Ok(text),
        _ => Err(Failure::NoOverload),
    }
}

fn one(call: &Call) -> Result<Address, Failure> {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Ip(address)))] => Ok(*address),
        _ => Err(Failure::NoOverload),
    }
}

fn is(call: &Call, test: fn(Address) -> bool) -> Answer {
    one(call).map(|address| Value::Bool(test(address)))
}

fn of_network(call: &Call) -> Result<Network, Failure> {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Cidr(network))), ..] => Ok(*network),
        _ => Err(Failure::NoOverload),
    }
}

fn contains_ip(call: &mut Call) -> Answer {
    let own = of_network(call)?;
    let address = match &call.arguments[1..] {
        // The API server loses the reason here.
        [Value::String(text)] => address(text).map_err(|_| Failure::NoOverload)?,
        [Value::Opaque(Opaque(Inner::Ip(address)))] => *address,
        _ => return Err(Failure::NoOverload),
    };
    Ok(Value::Bool(own.contains(address)))
}

fn contains_network(call: &mut Call) -> Answer {
    let own = of_network(call)?;
    let other = match &call.arguments[1..] {
        [Value::String(text)] => network(text).map_err(|error| format!("{FAILED}{error}"))?,
        [Value::Opaque(Opaque(Inner::Cidr(network)))] => *network,
        _ => return Err(Failure::NoOverload),
    };
    Ok(Value::Bool(own.bits <= other.bits && own.contains(other.address)))
}

fn address(text: &str) -> Result<Address, Failure> {
    let failed = |message: String| {
        Failure::Error(format!(
            "IP Address {text:?} parse error during conversion from string: {message}"
        ))
    };
    let (bare, zone) = text.split_once('%').map_or((text, None), |(bare, zone)| (bare, Some(zone)));
    if zone.is_some_and(|zone| !bare.contains(':') || zone.is_empty()) {
        let why = if bare.contains(':') {
            "zone must be a non-empty string"
        } else {
            "missing IPv6 address"
        };
        return Err(failed(format!("ParseAddr({text:?}): {why}")));
    }
    let parsed: IpAddr = bare.parse().map_err(|_| failed(why_not(bare)))?;
    if zone.is_some() {
        return Err(Failure::Error(format!("IP address {text:?} with zone value is not allowed")));
    }
    if matches!(parsed, IpAddr::V6(address) if address.to_ipv4_mapped().is_some()) {
        return Err(Failure::Error(format!("IPv4-mapped IPv6 address {text:?} is not allowed")));
    }
    Ok(Address(parsed))
}

/// Go's words for a text that is no address.
fn why_not(text: &str) -> String {
    let first = text.find(['.', ':']);
    let message = match first.map(|at| text.as_bytes()[at]) {
        Some(b'.') => why_not_v4(text),
        Some(_) => "unable to parse IP".to_owned(),
        None => "unable to parse IP".to_owned(),
    };
    format!("ParseAddr({text:?}): {message}")
}

fn why_not_v4(text: &str) -> String {
    let mut fields = 0;
    let mut field = String::new();
    for (at, character) in text.char_indices() {
        match character {
            '0'..='9' => {
                if field == "0" {
                    return "IPv4 field has octet with leading zero".to_owned();
                }
                field.push(character);
                if field.parse::<u32>().is_ok_and(|value| value > 255) {
                    return "IPv4 field has value >255".to_owned();
                }
            }
            '.' => {
                if field.is_empty() || at + 1 == text.len() {
                    return format!(
                        "IPv4 field must have at least one digit (at {:?})",
                        &text[at..]
                    );
                }
                if fields == 3 {
                    return "IPv4 address too long".to_owned();
                }
                fields += 1;
                field.clear();
            }
            _ => return format!("unexpected character (at {:?})", &text[at..]),
        }
    }
    "IPv4 address too short".to_owned()
}

/// A network, or why it is none.
fn network(text: &str) -> Result<Network, String> {
    let failed = |why: String| format!("{FAILED}netip.ParsePrefix({text:?}): {why}");
    let (before, bits) = text.rsplit_once('/').ok_or_else(|| failed("no '/'".to_owned()))?;
    if before.contains(':') && before.contains('%') {
        return Err(failed("IPv6 zones cannot be present in a prefix".to_owned()));
    }
    let address: IpAddr = before.parse().map_err(|_| failed(why_not(before)))?;
    let bad = || failed(format!("bad bits after slash: {bits:?}"));
    let is_plain = bits.bytes().all(|byte| byte.is_ascii_digit())
        && !(bits.len() > 1 && bits.starts_with('0'));
    let length: u64 =
        Some(bits).filter(|_| is_plain).and_then(|bits| bits.parse().ok()).ok_or_else(bad)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if length > most {
        return Err(failed("prefix length out of range".to_owned()));
    }
    if matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some()) {
        return Err(format!("IPv4-mapped IPv6 address {text:?} is not allowed"));
    }
    Ok(Network { address: Address(address), bits: u8::try_from(length).expect("at most 128") })
}
