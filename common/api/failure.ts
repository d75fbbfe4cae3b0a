/** What a failure means for the caller. */
export type KubeErrorKind =
  | 'notFound' // the API server says that exactly the requested object does not exist: the only proof of absence
  | 'kindAbsent' // the server does not serve this kind; from `classify` it is a suspicion that the client confirms
  | 'conflict' // the object is not as the request expects: read it again; see `conflictOver`
  | 'alreadyExists' // there is an object with the name of the one to create
  | 'gone' // the version or the page is no longer kept: list again
  | 'forbidden' // see `forbiddenBy`
  | 'terminating' // the namespace is being deleted, or is gone: give up
  | 'invalid' // the same request will never succeed
  | 'unread' // the requested object is there, but it is too large to be read: another try reads as much
  | 'throttled' // try later, see `retryAfterMs`
  | 'server' // the API server says that something failed, for example another webhook
  | 'timeout' // there was no response to a write in time: it may have been made, and other requests may succeed
  | 'unreachable' // there was no response, or it did not come from the API server
