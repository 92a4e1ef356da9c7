//! `images`.

use go_regexp::Regex;

use super::{Place, Transform, fields::check};
use crate::{
    Origin,
    config::FieldSpec,
    error::{Error, Result},
    field_spec::{Create, visit},
    node::{Data, Kind, Node},
    resources::Resources,
    scalar::Tag,
    types::Image,
};

/// An entry of `images`.
pub(crate) struct Images {
    pub(crate) image: Image,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

impl Transform for Images {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        let pattern =
            format!("^{}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$", &*self.image.name);
        let pattern = go_regexp::compile(&pattern)
            .map_err(|message| Error::transformer(message).at(self.image.name.at.clone()))?;
        let others = || resources_of_other_kinds(&resources.list);
        for index in others() {
            self.containers(&mut resources.list[index].node, &pattern)?;
        }
        for index in resources_of_other_kinds(&resources.list) {
            let resource = &mut resources.list[index];
            let gvk = resource.gvk();
            for spec in &self.specs {
                visit(&mut resource.node, &gvk, spec, Create::Never, &mut |node| {
                    self.update(node, &pattern)
                })?;
            }
        }
        Ok(())
    }
}

fn resources_of_other_kinds(list: &[crate::resource::Resource]) -> Vec<usize> {
    let is_other = |index: &usize| list[*index].kind() != "CustomResourceDefinition";
    (0..list.len()).filter(is_other).collect()
}

impl Images {
    /// Updates the images of all lists of containers below a node.
    fn containers(&self, node: &mut Node, pattern: &Regex) -> Result<()> {
        match &mut node.data {
            Data::Seq(items) => {
                items.iter_mut().try_for_each(|item| self.containers(item, pattern))
            }
            Data::Map(entries) => entries.iter_mut().try_for_each(|entry| {
                self.containers(&mut entry.value, pattern)?;
                match &mut entry.value.data {
                    Data::Seq(items) if matches!(&*entry.key, "containers" | "initContainers") => {
                        items.iter_mut().try_for_each(|item| {
                            check(item, Kind::Map)?;
                            item.get_mut("image")
                                .map_or(Ok(()), |image| self.update(image, pattern))
                        })
                    }
                    _ => Ok(()),
                }
            }),
            Data::Scalar(_) => Ok(()),
        }
    }

    fn update(&self, node: &mut Node, pattern: &Regex) -> Result<()> {
        check(node, Kind::Scalar)?;
        if node.is_null() || !pattern.is_match(node.text().as_bytes()) {
            return Ok(());
        }
        let Image { new_name, new_tag, digest: new_digest, tag_suffix, .. } = &self.image;
        let (name, tag, digest) = split(node.text());
        let name = if new_name.is_empty() { name.to_owned() } else { new_name.to_string() };
        let (tag, digest) = match (new_tag.is_empty(), new_digest.is_empty(), tag_suffix.is_empty())
        {
            (false, false, _) => (new_tag.to_string(), new_digest.to_string()),
            (false, true, _) => (new_tag.to_string(), String::new()),
            (true, false, _) => (String::new(), new_digest.to_string()),
            (true, true, false) => (format!("{tag}{}", &**tag_suffix), String::new()),
            (true, true, true) => (tag.to_owned(), digest.to_owned()),
        };
        let tag = if tag.is_empty() { tag } else { format!(":{tag}") };
        let digest = if digest.is_empty() { digest } else { format!("@{digest}") };
        let origin = self.origin(&node.origin);
        node.replace_scalar(Node::scalar(format!("{name}{tag}{digest}"), Tag::Empty, origin));
        Ok(())
    }

    /// The fields that set the image, before where it was written.
    fn origin(&self, written: &Origin) -> Origin {
        let Image { new_name, new_tag, digest, tag_suffix, .. } = &self.image;
        let suffix = Some(tag_suffix).filter(|_| new_tag.is_empty() && digest.is_empty());
        let set = [Some(new_tag), Some(digest), Some(new_name), suffix];
        let set = set.into_iter().flatten().filter(|text| !text.is_empty());
        let origin = set.fold(Origin::default(), |all, text| all.and(&self.place.origin(text)));
        origin.and(written)
    }
}

/// Splits an image into name, tag and digest.
fn split(image: &str) -> (&str, &str, &str) {
    let start = image.find('/').filter(|at| *at > 0).unwrap_or(0);
    let at = image[start..].find('@').map(|at| at + start);
    let colon = image[start..].find(':').map(|at| at + start);
    match (at, colon) {
        (None, None) => (image, "", ""),
        (Some(at), Some(colon)) if colon < at => {
            (&image[..colon], &image[colon + 1..at], &image[at + 1..])
        }
        (Some(at), _) => (&image[..at], "", &image[at + 1..]),
        (None, Some(colon)) => (&image[..colon], &image[colon + 1..], ""),
    }
}
