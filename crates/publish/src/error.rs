//! Says in words why a request to a store has failed.

use object_store::Error;

use infralens_source::change::Refusal;

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

/// What to do without credentials.
const HELP: &str = "set the variables that `infralens publish --help` names";
/// The codes with which stores answer, what each means, and what to do about it.
const CODES: [(&str, &str, &str); 11] = [
    ("RequestTimeTooSkewed", "the clock of this machine is wrong", "set the clock, and publish again"),
    ("RequestExpired", "the clock of this machine is wrong", "set the clock, and publish again"),
    ("InvalidAccessKeyId", "the access key is not known there", "check `AWS_ACCESS_KEY_ID`"),
    ("SignatureDoesNotMatch", "the secret key does not fit the access key", "check `AWS_SECRET_ACCESS_KEY`"),
    ("ExpiredToken", "the credentials have expired", "get new credentials, and publish again"),
    ("NoSuchBucket", "the bucket does not exist", "create the bucket, or correct its name"),
    ("ContainerNotFound", "the container does not exist", "create the container, or correct its name"),
    // Without credentials, a client asks the service of a cloud that gives them to its machines.
    ("metadata.google.internal", "there are no credentials", HELP),
    ("169.254.169.254", "there are no credentials", HELP),
    (
        "URL scheme is not allowed",
        "the address of the store is not encrypted",
        "use an `https://` address, or set `AWS_ALLOW_HTTP=true`",
    ),
    ("PermanentRedirect", "the bucket is in another region", "set `AWS_REGION` to the region of the bucket"),
];

fn refusal(error: &Error, name: &str, doing: &str) -> Refusal {
    let causes = causes(error);
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
        _ => because(
            message(&text).unwrap_or(&innermost(error)),
            "check the destination, the network, and the variables with the credentials",
        ),
    }
}

/// Returns the messages of an error and of its causes.
fn causes(error: &Error) -> Vec<String> {
    let first: Option<&dyn std::error::Error> = Some(error);
    std::iter::successors(first, |cause| cause.source()).map(ToString::to_string).collect()
}

/// Returns the message of the cause behind all others.
pub(super) fn innermost(error: &Error) -> String {
    causes(error).pop().unwrap_or_default()
}

/// Returns the message in an answer of S3.
fn message(text: &str) -> Option<&str> {
    Some(text.split_once("<Message>")?.1.split_once("</Message>")?.0.trim())
}
