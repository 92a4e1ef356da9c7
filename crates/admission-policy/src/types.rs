//! The types of the objects that policies are about, from the schema of the API.

use std::sync::LazyLock;

use job_lifecycle::kubernetes::schema::{self, FieldType, ValueType};
use kubernetes_cel::Type;

/// The API groups and resources with the types of their `v1`.
pub(crate) static KINDS: LazyLock<[(&str, &str, Type); 3]> = LazyLock::new(|| {
    let pod = [
        ("apiVersion", Type::String),
        ("kind", Type::String),
        ("metadata", structure("ObjectMeta")),
        ("spec", structure("PodSpec")),
        ("status", Type::Dyn),
    ];
    [
        ("batch", "jobs", structure("Job")),
        ("batch", "cronjobs", structure("CronJob")),
        ("", "pods", Type::object("Pod", pod)),
    ]
});

fn structure(of: &'static str) -> Type {
    let Some(known) = schema::find(of) else { return Type::Dyn };
    let fields = known.fields().map(|(name, shape)| {
        let of = match shape {
            FieldType::One(of) => value(of),
            FieldType::List(of) => Type::list(value(of)),
            FieldType::Map(of) => Type::map(Type::String, value(of)),
        };
        (name, of)
    });
    Type::object(of, fields)
}

fn value(of: ValueType) -> Type {
    match of {
        ValueType::Bool => Type::Bool,
        ValueType::Int32 | ValueType::Int64 => Type::Int,
        ValueType::String => Type::String,
        ValueType::Any | ValueType::IntOrString | ValueType::Quantity => Type::Dyn,
        ValueType::Struct(name) => structure(name),
    }
}
