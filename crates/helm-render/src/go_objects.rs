//! Go objects that functions return to templates: times, durations, versions, certificates.

mod fields;

use go_template::{
    Data, FuncError, Functions, GoKind, Method, Object, Params, Text, Type, UintType, Value,
};

pub(crate) use self::fields::{GoField, GoStruct};
use crate::{
    semver::Version,
    time::{Time, format_duration},
};

/// `time.Time`.
pub(crate) static TIME: Type = Type::new("time.Time", GoKind::Struct);
/// `time.Duration`.
pub(crate) static DURATION: Type = Type::new("time.Duration", GoKind::Int);
static MONTH: Type = Type::new("time.Month", GoKind::Int);
static WEEKDAY: Type = Type::new("time.Weekday", GoKind::Int);
/// `semver.Version`, which `IncMajor` and its relatives return: it lacks the methods of the pointer
/// type.
static PLAIN_VERSION: Type = Type::new("semver.Version", GoKind::Struct);
static VERSION: Type = Type::new("*semver.Version", GoKind::Pointer);
/// `sprig.certificate`.
pub(crate) static CERTIFICATE: Type = Type::new("sprig.certificate", GoKind::Struct);

/// Registers the methods of these objects.
pub(crate) fn set_methods(functions: &mut Functions) {
    functions.set_methods(&TIME, &TIME_METHODS);
    functions.set_methods(&DURATION, &DURATION_METHODS);
    functions.set_methods(&MONTH, &STRING_METHODS);
    functions.set_methods(&WEEKDAY, &STRING_METHODS);
    functions.set_methods(&PLAIN_VERSION, &PLAIN_VERSION_METHODS);
    functions.set_methods(&VERSION, &VERSION_METHODS);
}

/// The panic of Go's runtime for `reflect.TypeOf(nil).Kind()`.
pub(crate) const NIL_DEREFERENCE: &str =
    "runtime error: invalid memory address or nil pointer dereference";

/// An integer of a named type.
#[derive(Debug)]
struct Named {
    go_type: &'static Type,
    number: i64,
    text: String,
}

impl Object for Named {
    fn go_type(&self) -> &'static Type {
        self.go_type
    }

    fn string(&self) -> Option<String> {
        Some(self.text.clone())
    }

    fn truth(&self) -> bool {
        self.number != 0
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        let other: &dyn std::any::Any = other;
        Some(other.downcast_ref::<Self>().is_some_and(|other| other.number == self.number))
    }
}

impl Object for Time {
    fn go_type(&self) -> &'static Type {
        &TIME
    }

    fn string(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        let other: &dyn std::any::Any = other;
        Some(other.downcast_ref::<Self>() == Some(self))
    }
}

impl Object for Version {
    fn go_type(&self) -> &'static Type {
        &VERSION
    }

    fn string(&self) -> Option<String> {
        Some(self.to_string())
    }
}

#[derive(Debug)]
struct PlainVersion(Version);

impl Object for PlainVersion {
    fn go_type(&self) -> &'static Type {
        &PLAIN_VERSION
    }

    fn string(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// A certificate and its key, in PEM.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) cert: Value,
    pub(crate) key: Value,
}

impl Object for Certificate {
    fn go_type(&self) -> &'static Type {
        &CERTIFICATE
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Cert", self.cert.clone()), ("Key", self.key.clone())]
    }
}

pub(crate) fn time(time: Time) -> Value {
    Value::object(time)
}

pub(crate) fn duration(nanos: i64) -> Value {
    Value::object(Named { go_type: &DURATION, number: nanos, text: format_duration(nanos) })
}

pub(crate) fn version(version: Version) -> Value {
    Value::object(version)
}

pub(crate) fn is_time(value: &Value) -> bool {
    value.as_object::<Time>().is_some()
}

/// A `time.Time` argument.
pub(crate) fn as_time(value: &Value) -> Time {
    value.as_object().cloned().unwrap_or_else(Time::zero)
}

pub(crate) fn duration_nanos(value: &Value) -> Option<i64> {
    let named = value.as_object::<Named>()?;
    named.go_type.is(&DURATION).then_some(named.number)
}

/// The integer that spf13/cast reads from an object: months and weekdays, but not durations.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    let named = value.as_object::<Named>()?;
    (!named.go_type.is(&DURATION)).then_some(named.number)
}

/// The `reflect.Kind` of a named integer.
pub(crate) fn kind(value: &Value) -> Option<&'static str> {
    let named = value.as_object::<Named>()?;
    Some(if named.go_type.is(&DURATION) { "int64" } else { "int" })
}

pub(crate) fn deep_equal(a: &Value, b: &Value) -> bool {
    match (a.as_object::<Version>(), b.as_object::<Version>()) {
        (Some(a), Some(b)) => a == b,
        _ => match (a.as_object::<Certificate>(), b.as_object::<Certificate>()) {
            (Some(a), Some(b)) => {
                a.cert.bytes() == b.cert.bytes() && a.key.bytes() == b.key.bytes()
            }
            _ => false,
        },
    }
}

/// The value that JSON and YAML print instead of an object; `v3` means go-yaml 3.
pub(crate) fn encode(value: &Value, v3: bool) -> Option<Value> {
    const RFC3339: &str = "2006-01-02T15:04:05.999999999Z07:00";
    if let Some(time) = value.as_object::<Time>() {
        return if v3 { None } else { Some(Value::from(time.format(RFC3339))) };
    }
    if value.as_object::<Version>().is_some() || value.as_object::<PlainVersion>().is_some() {
        return Some(Value::from(as_version(value).to_string()));
    }
    if let Some(fields) = value.as_object::<GoStruct>() {
        return Some(fields.to_json());
    }
    let named = value.as_object::<Named>()?;
    if v3 && named.go_type.is(&DURATION) {
        return Some(Value::from(named.text.clone()));
    }
    Some(Value::int64(named.number))
}

/// A time as go-yaml 3 prints it: as a plain scalar, not as a string.
pub(crate) fn plain_time(value: &Value) -> Option<String> {
    let time = value.as_object::<Time>()?;
    Some(time.format("2006-01-02T15:04:05.999999999Z07:00"))
}

type Methods<const N: usize> = [Method; N];

macro_rules! method {
    ($name:literal, $params:expr, $call:expr) => {
        Method { name: $name, params: Params::fixed($params), call: $call }
    };
}

static STRING_METHODS: Methods<1> = [method!("String", &[], |_, receiver, _| {
    Ok(text(receiver, receiver.as_object::<Named>().map_or("", |named| &named.text)))
})];

static TIME_METHODS: Methods<22> = [
    method!("String", &[], |_, r, _| Ok(text(r, &as_time(r).to_string()))),
    method!("Format", &[&Type::STRING], |context, r, a| {
        let shown = as_time(r).format(&a[0].as_text().map_or("".into(), Text::to_str));
        Ok(text(r, &shown).decided_by(&mut context.tracker, &a[0]))
    }),
    method!("Unix", &[], |_, r, _| Ok(int64(r, as_time(r).unix()))),
    method!("UnixMilli", &[], |_, r, _| Ok(int64(r, scaled(r, 1_000_000)))),
    method!("UnixMicro", &[], |_, r, _| Ok(int64(r, scaled(r, 1_000)))),
    method!("UnixNano", &[], |_, r, _| Ok(int64(r, scaled(r, 1)))),
    method!("Year", &[], |_, r, _| Ok(int(r, as_time(r).civil().year))),
    method!("Month", &[], |_, r, _| {
        let civil = as_time(r).civil();
        Ok(named(r, &MONTH, civil.month.into(), civil.month_name()))
    }),
    method!("Day", &[], |_, r, _| Ok(int(r, as_time(r).civil().day.into()))),
    method!("Weekday", &[], |_, r, _| {
        let civil = as_time(r).civil();
        Ok(named(r, &WEEKDAY, civil.weekday.into(), civil.weekday_name()))
    }),
    method!("YearDay", &[], |_, r, _| Ok(int(r, as_time(r).civil().year_day.into()))),
    method!("Hour", &[], |_, r, _| Ok(int(r, as_time(r).civil().hour.into()))),
    method!("Minute", &[], |_, r, _| Ok(int(r, as_time(r).civil().minute.into()))),
    method!("Second", &[], |_, r, _| Ok(int(r, as_time(r).civil().second.into()))),
    method!("Nanosecond", &[], |_, r, _| Ok(int(r, as_time(r).civil().nano.into()))),
    method!("IsZero", &[], |_, r, _| {
        Ok(Value::from(as_time(r).is_zero()).with_taint(r.taint()))
    }),
    method!("UTC", &[], |_, r, _| Ok(time(Time::utc(as_time(r).nanos)).with_taint(r.taint()))),
    method!("Local", &[], |_, r, _| Ok(time(Time::utc(as_time(r).nanos)).with_taint(r.taint()))),
    method!("AddDate", &[&Type::INT, &Type::INT, &Type::INT], |context, r, a| {
        let number = |i: usize| a[i].as_int().unwrap_or(0);
        let moved = as_time(r).plus_date(number(0), number(1), number(2));
        let moved = time(moved).with_taint(r.taint());
        Ok(a.iter().fold(moved, |moved, by| moved.decided_by(&mut context.tracker, by)))
    }),
    method!("Add", &[&DURATION], |context, r, a| {
        let nanos = duration_nanos(&a[0]).or_else(|| a[0].as_int()).unwrap_or(0);
        let moved = time(as_time(r).plus(nanos)).with_taint(r.taint());
        Ok(moved.decided_by(&mut context.tracker, &a[0]))
    }),
    method!("Sub", &[&TIME], |context, r, a| {
        let nanos = as_time(r).nanos - as_time(&a[0]).nanos;
        let nanos = nanos.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let taint = context.tracker.join(r.taint(), a[0].taint());
        Ok(duration(nanos).with_taint(taint))
    }),
    method!("Before", &[&TIME], |context, r, a| {
        let taint = context.tracker.join(r.taint(), a[0].taint());
        Ok(Value::from(as_time(r).nanos < as_time(&a[0]).nanos).with_taint(taint))
    }),
];

static DURATION_METHODS: Methods<7> = [
    method!("String", &[], |_, r, _| Ok(text(r, &format_duration(nanos(r))))),
    method!("Seconds", &[], |_, r, _| Ok(float(r, nanos(r), 1_000_000_000))),
    method!("Minutes", &[], |_, r, _| Ok(float(r, nanos(r), 60_000_000_000))),
    method!("Hours", &[], |_, r, _| Ok(float(r, nanos(r), 3_600_000_000_000))),
    method!("Milliseconds", &[], |_, r, _| Ok(int64(r, nanos(r) / 1_000_000))),
    method!("Microseconds", &[], |_, r, _| Ok(int64(r, nanos(r) / 1_000))),
    method!("Nanoseconds", &[], |_, r, _| Ok(int64(r, nanos(r)))),
];

static PLAIN_VERSION_METHODS: Methods<9> = [
    method!("String", &[], |_, r, _| Ok(text(r, &as_version(r).to_string()))),
    method!("Major", &[], |_, r, _| Ok(uint(r, as_version(r).major))),
    method!("Minor", &[], |_, r, _| Ok(uint(r, as_version(r).minor))),
    method!("Patch", &[], |_, r, _| Ok(uint(r, as_version(r).patch))),
    method!("Prerelease", &[], |_, r, _| Ok(text(r, &as_version(r).pre))),
    method!("Metadata", &[], |_, r, _| Ok(text(r, &as_version(r).metadata))),
    method!("IncPatch", &[], |_, r, _| Ok(next(r, |v| if v.pre.is_empty() {
        v.patch += 1
    }))),
    method!("IncMinor", &[], |_, r, _| Ok(next(r, |v| (v.minor, v.patch) = (v.minor + 1, 0)))),
    method!("IncMajor", &[], |_, r, _| {
        Ok(next(r, |v| (v.major, v.minor, v.patch) = (v.major + 1, 0, 0)))
    }),
];

static VERSION_METHODS: Methods<16> = [
    method!("String", &[], |_, r, _| Ok(text(r, &as_version(r).to_string()))),
    method!("Original", &[], |_, r, _| Ok(text(r, &as_version(r).original))),
    method!("Major", &[], |_, r, _| Ok(uint(r, as_version(r).major))),
    method!("Minor", &[], |_, r, _| Ok(uint(r, as_version(r).minor))),
    method!("Patch", &[], |_, r, _| Ok(uint(r, as_version(r).patch))),
    method!("Prerelease", &[], |_, r, _| Ok(text(r, &as_version(r).pre))),
    method!("Metadata", &[], |_, r, _| Ok(text(r, &as_version(r).metadata))),
    method!("IncPatch", &[], |_, r, _| Ok(next(r, |v| if v.pre.is_empty() {
        v.patch += 1
    }))),
    method!("IncMinor", &[], |_, r, _| Ok(next(r, |v| (v.minor, v.patch) = (v.minor + 1, 0)))),
    method!("IncMajor", &[], |_, r, _| {
        Ok(next(r, |v| (v.major, v.minor, v.patch) = (v.major + 1, 0, 0)))
    }),
    method!("Compare", &[&VERSION], |context, r, a| {
        let order = compare(r, &a[0])? as i64;
        let taint = context.tracker.join(r.taint(), a[0].taint());
        Ok(Value::int(order).with_taint(taint))
    }),
    method!("Equal", &[&VERSION], |_, r, a| Ok(flag(r, compare(r, &a[0])?.is_eq()))),
    method!("LessThan", &[&VERSION], |_, r, a| Ok(flag(r, compare(r, &a[0])?.is_lt()))),
    method!("LessThanEqual", &[&VERSION], |_, r, a| Ok(flag(r, compare(r, &a[0])?.is_le()))),
    method!("GreaterThan", &[&VERSION], |_, r, a| Ok(flag(r, compare(r, &a[0])?.is_gt()))),
    method!("GreaterThanEqual", &[&VERSION], |_, r, a| Ok(flag(r, compare(r, &a[0])?.is_ge()))),
];

fn text(receiver: &Value, text: &str) -> Value {
    Value::from(text).with_taint(receiver.taint())
}

fn int(receiver: &Value, number: i64) -> Value {
    Value::int(number).with_taint(receiver.taint())
}

fn int64(receiver: &Value, number: i64) -> Value {
    Value::int64(number).with_taint(receiver.taint())
}

fn uint(receiver: &Value, number: u64) -> Value {
    Value::new(Data::Uint(UintType::Uint64, number), receiver.taint())
}

fn flag(receiver: &Value, flag: bool) -> Value {
    Value::from(flag).with_taint(receiver.taint())
}

fn float(receiver: &Value, nanos: i64, unit: i64) -> Value {
    let number = (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64;
    Value::from(number).with_taint(receiver.taint())
}

fn named(receiver: &Value, go_type: &'static Type, number: i64, text: &str) -> Value {
    Value::object(Named { go_type, number, text: text.into() }).with_taint(receiver.taint())
}

fn nanos(receiver: &Value) -> i64 {
    duration_nanos(receiver).unwrap_or(0)
}

/// The time since 1970 in units of `unit` nanoseconds.
fn scaled(receiver: &Value, unit: i128) -> i64 {
    as_time(receiver).nanos.div_euclid(unit) as i64
}

fn as_version(value: &Value) -> Version {
    let plain = value.as_object::<PlainVersion>().map(|plain| &plain.0);
    value.as_object().or(plain).cloned().unwrap_or_else(|| Version {
        major: 0,
        minor: 0,
        patch: 0,
        pre: String::new(),
        metadata: String::new(),
        original: String::new(),
    })
}

fn compare(a: &Value, b: &Value) -> Result<std::cmp::Ordering, FuncError> {
    if b.is_nil() {
        return Err(FuncError::new(NIL_DEREFERENCE));
    }
    Ok(as_version(a).compare(&as_version(b)))
}

/// The version after `change`, without pre-release and metadata.
fn next(receiver: &Value, change: fn(&mut Version)) -> Value {
    let mut next = as_version(receiver);
    let prefix = if next.original.starts_with('v') { "v" } else { "" };
    change(&mut next);
    next.pre.clear();
    next.metadata.clear();
    next.original = format!("{prefix}{next}");
    Value::object(PlainVersion(next)).with_taint(receiver.taint())
}
