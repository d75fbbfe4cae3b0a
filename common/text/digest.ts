/** `image` with at most 12 digits of its digest, as container runtimes show ids. */
export const withShortDigest = (image: string): string => image.replace(DIGEST, '$1')

const DIGEST = /(@[a-z][\da-z+._-]*:[\da-f]{12})[\da-f]+$/i
