//! Says in words why a request to a store has failed.

use std::error::Error as _;

use object_store::Error;

use crate::change::Refusal;

/// Turns the errors of a store into messages.
pub(super) trait Context<T> {
    /// Adds the destination's name, and what was to be done.
    fn context(self, name: &str, doing: impl FnOnce() -> String) -> Result<T, Refusal>;
}

impl<T> Context<T> for Result<T, Error> {
    fn context(self, name: &str, doing: impl FnOnce() -> String) -> Result<T, Refusal> {
        self.map_err(|error| refusal(&error, name, &doing()))
    }
}

/// The codes with which stores answer, what each means, and what to do about it.
const CODES: [(&str, &str, &str); 9] = [
    ("RequestTimeTooSkewed", "the clock of this machine is wrong", "set the clock, and publish again"),
    ("RequestExpired", "the clock of this machine is wrong", "set the clock, and publish again"),
    ("InvalidAccessKeyId", "the access key is not known there", "check `AWS_ACCESS_KEY_ID`"),
    ("SignatureDoesNotMatch", "the secret key does not fit the access key", "check `AWS_SECRET_ACCESS_KEY`"),
    ("ExpiredToken", "the credentials have expired", "get new credentials, and publish again"),
    ("NoSuchBucket", "the bucket does not exist", "create the bucket, or correct its name"),
    ("ContainerNotFound", "the container does not exist", "create the container, or correct its name"),
    // Without credentials, S3's client asks the service that gives them to a virtual machine.
    ("169.254.169.254", "there are no credentials", "set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`"),
    ("PermanentRedirect", "the bucket is in another region", "set `AWS_REGION` to the region of the bucket"),
];

fn refusal(error: &Error, name: &str, doing: &str) -> Refusal {
    let mut causes = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    let text = causes.join("\n");
    let because = |why: &str, help: &str| Refusal::new(format!("cannot {doing} in {name}: {why}")).help(help);
    if let Some((_, why, help)) = CODES.iter().find(|(code, _, _)| text.contains(code)) {
        return because(why, help);
    }
    match error {
        Error::PermissionDenied { .. } => because(
            "these credentials do not allow it",
            "publishing lists, reads, writes and deletes objects; a clock that is wrong can be the reason, too",
        ),
        Error::Unauthenticated { .. } => {
            because("the credentials were not accepted", "check them, and this machine's clock")
        }
        Error::NotFound { .. } => {
            because("there is no such bucket, container or object", "check the name of the destination")
        }
        _ => because(&innermost(&causes), "check the destination, the network, and the variables with the credentials"),
    }
}

/// Returns the cause that the others report, as one line. If it is a message of S3, this is its text.
fn innermost(causes: &[String]) -> String {
    let last = causes.last().map_or("", String::as_str);
    let message = last.split_once("<Message>").and_then(|(_, rest)| rest.split_once("</Message>"));
    message.map_or(last, |(message, _)| message).trim().to_owned()
}
