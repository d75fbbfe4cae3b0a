import { COMPONENT, DIGEST, HOST, inFull, normalizeImage, readImage, TAG } from '../api/image.ts'
import type { FieldError } from '../api/types.ts'
import { matchesWhole, type Token } from '../json/sequence.ts'
import { MAX_PATTERN, overrideField, parseOverridePath } from '../override/path.ts'
import { withShortDigest } from '../text/digest.ts'
import { fitted } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { quoted } from '../text/quoted.ts'
import { MAX_FINDINGS, MAX_REMEDY } from './paths.ts'
import type { ExperimentPolicySpec, OverrideChanges } from './policy.ts'

/** The paths of images in a pod template. */
const IMAGES = ['template.spec.{containers,initContainers}[*].image', 'template.spec.volumes[*].image.reference'].map(
  (pattern) => parseOverridePath(pattern) ?? [],
)

/** Every image that an override adds or changes and that no pattern of `allowedImages` allows. At most 21. */
export function forbiddenImages(
  { allowedImages }: ExperimentPolicySpec,
  { changes, overrideSpec }: Pick<OverrideChanges, 'changes' | 'overrideSpec'>,
): readonly FieldError[] {
  if (!allowedImages) return []
  const patterns = allowedImages.flatMap((pattern) => parseImagePattern(pattern) ?? [])
  return changes
    .filter(({ path }) => IMAGES.some((image) => matchesWhole(image, path)))
    .filter(({ before, after }) => isNew(before, after) && !patterns.some((allows) => allows(String(after))))
    .slice(0, MAX_FINDINGS)
    .map(({ path, after }) => ({
      field: overrideField(path, overrideSpec),
      message: `${shown(String(after))} is not allowed; ${remedy(allowedImages)}`,
      cause: 'FieldValueForbidden',
    }))
}

/** The image of the source in another spelling is not new. */
function isNew(before: unknown, after: unknown): boolean {
  if (after === undefined) return false
  const image = normalizeImage(String(after))
  return image === undefined || typeof before !== 'string' || normalizeImage(before) !== image
}

function shown(image: string): string {
  const normal = normalizeImage(image)
  return normal === undefined ? quoted(image) : withShortDigest(normal)
}

const remedy = (patterns: readonly string[]): string =>
  patterns.length === 0
    ? 'keep the image of the source'
    : fitted(MAX_REMEDY, ['allowed images: ', shortenedList(patterns, 2)])

/** Host, path, tag and digest of a pattern. The CRD repeats it. */
const PATTERN =
  /^(localhost|[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)+|[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*:\d+|\[[\da-fA-F:]+\](?::\d+)?)((?:\/[\w.*-]+)+)(?::([\w.*-]+))?(?:@([\w.:*+-]+))?$/

/**
 * Parses a pattern of `allowedImages`, such as `registry.example/shop/**` or `docker.io/library/nginx:1.*`. The host is
 * compared literally, so that no similar host matches; it is required for Docker Hub too. `*` matches within a segment,
 * tag or digest, `**` one or more segments: `docker.io/*` matches the official images and `docker.io/**` all of them. A
 * pattern without tag and digest matches every tag and digest; one with a tag no image with a digest, because runtimes
 * then ignore the tag. Undefined if `pattern` is not valid.
 */
export function parseImagePattern(pattern: string): ((image: string) => boolean) | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  const [found, first = '', rest = '', tag, digest] = PATTERN.exec(pattern) ?? []
  if (found === undefined) return undefined
  const [host, path] = inFull(first, rest.split('/').slice(1))
  const tokens = path.flatMap(tokensOf)
  return (image) => {
    const read = readImage(image)
    if (!read) return false
    if (read.host !== host || !matchesWhole(tokens, read.path)) return false
    if (digest !== undefined) return read.digest !== undefined && glob(digest)(read.digest)
    return tag === undefined || (read.digest === undefined && read.tag !== undefined && glob(tag)(read.tag))
  }
}

/** Whether no image can match `pattern`, because a part of it has a character that no image has there. */
export function isHopelessImagePattern(pattern: string): boolean {
  const [found, host = '', path = '', tag, digest] = PATTERN.exec(pattern) ?? []
  if (found === undefined) return true
  const isPossible =
    HOST.test(host) &&
    path
      .split('/')
      .slice(1)
      .every((segment) => possible(segment, COMPONENT, /^[\da-z._*-]+$/)) &&
    (tag === undefined || possible(tag, TAG, /^[\w.*][\w.*-]*$/)) &&
    (digest === undefined || possible(digest, DIGEST, /^[\w.:*+-]+$/))
  return !isPossible
}

/** A part with a star can match if its characters can. */
const possible = (part: string, whole: RegExp, characters: RegExp): boolean =>
  (part.includes('*') ? characters : whole).test(part)

const tokensOf = (segment: string): readonly Token<string>[] =>
  segment === '**' ? [() => true, 'many'] : [glob(segment)]

/** Whether a text contains the pieces of `pattern` between its stars, in order. Searches for each piece once. */
function glob(pattern: string): (text: string) => boolean {
  const [head = '', ...pieces] = pattern.split('*')
  const tail = pieces.pop()
  if (tail === undefined) return (text) => text === pattern
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail)) return false
    let from = head.length
    for (const piece of pieces) {
      const found = text.indexOf(piece, from)
      if (found < 0) return false
      from = found + piece.length
    }
    return from + tail.length <= text.length
  }
}
