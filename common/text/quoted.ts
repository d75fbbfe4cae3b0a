/** The longest text that is shown: patterns are no longer. */
const MAX_LENGTH = 256

/** `text` in quotes. Of a longer one only the length, because a part of it could be mistaken for another text. */
export const quoted = (text: string): string =>
  text.length <= MAX_LENGTH ? JSON.stringify(text) : `a text of ${text.length} characters`
