/**
 * The maximum length of a reference: a host name of 253 characters, as long as DNS allows, with its port, the path, 128
 * characters for the tag, the longest digest, and what is between them.
 */
const MAX_LENGTH = 780
/** The maximum length of its path. */
const MAX_PATH = 255

// The grammar that the API server and container runtimes use: github.com/distribution/reference and
// github.com/opencontainers/go-digest.
/** The registry of a reference, with its port. */
export const HOST = /^(?:[\da-z](?:[\da-z-]*[\da-z])?(?:\.[\da-z](?:[\da-z-]*[\da-z])?)*|\[[\da-f:]+\])(?::\d+)?$/i
/** A part of its path, between two slashes. */
export const COMPONENT = /^[\da-z]+(?:(?:\.|__?|-+)[\da-z]+)*$/
/** Its tag. */
export const TAG = /^\w[\w.-]{0,127}$/
/** Its digest. */
export const DIGEST = /^(?:sha256:[\da-f]{64}|sha384:[\da-f]{96}|sha512:[\da-f]{128})$/
/** The identifier of an image in a runtime. No reference may look like one. */
const IDENTIFIER = /^[\da-f]{64}$/

/** As container runtimes read it: `nginx` is `docker.io/library/nginx:latest`. Undefined if `image` is not valid. */
export function normalizeImage(image: string): string | undefined {
  const { host, path = [], tag, digest } = readImage(image) ?? {}
  if (host === undefined) return undefined
  return `${[host, ...path].join('/')}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}

/** The parts of a reference, as `normalizeImage` writes them. Undefined if `image` is not valid. */
export function readImage(image: string) {
  if (image.length > MAX_LENGTH || IDENTIFIER.test(image)) return undefined
  const { segments, tag, digest } = split(image)
  const [host, path] = withHost(segments)
  const isSound =
    HOST.test(host) &&
    path.length > 0 &&
    path.join('/').length <= MAX_PATH &&
    path.every((component) => COMPONENT.test(component)) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest))
  return isSound ? { host, path, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest } : undefined
}

function split(text: string) {
  const [name = '', ...rest] = text.split('@')
  const colon = name.lastIndexOf(':')
  const isTag = colon > name.lastIndexOf('/') // otherwise it is the port of the host
  return {
    segments: (isTag ? name.slice(0, colon) : name).split('/'),
    tag: isTag ? name.slice(colon + 1) : undefined,
    digest: rest.length === 0 ? undefined : rest.join('@'),
  }
}

/** The first segment is a host if it cannot be part of a path. Otherwise the image is on Docker Hub. */
function withHost([first = '', ...rest]: readonly string[]): readonly [host: string, path: readonly string[]] {
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())
  return isHost ? inFull(first, rest) : inFull('docker.io', [first, ...rest])
}

/** Docker Hub has two names. A path of one segment there means an official image. `**` is not one segment. */
export function inFull(host: string, path: readonly string[]): readonly [host: string, path: readonly string[]] {
  if (host !== 'docker.io' && host !== 'index.docker.io') return [host, path]
  const isOfficial = path.length === 1 && path[0] !== '**'
  return ['docker.io', isOfficial ? ['library', ...path] : path]
}
