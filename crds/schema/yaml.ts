import { Document, isCollection, isScalar, type Node, visit } from 'yaml'
import type { JsonObject } from '../../common/json/json.ts'

/** From this length on a text is folded, as the files do. */
const LONG = 70

/** An object that is at two places is written twice. A text that YAML 1.1 reads as a time or a flag is quoted. */
const PLAIN = { aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

/** Sets the style of a node as in the files: lists of words in one line, long texts folded. */
function styled<T extends Node>(node: T): T {
  visit(node, {
    Seq(_key, seq) {
      if (seq.items.length > 0 && seq.items.every((item) => !isCollection(item))) seq.flow = true
    },
    Pair(_key, { value }) {
      if (isScalar(value) && typeof value.value === 'string' && value.value.length > LONG) value.type = 'BLOCK_FOLDED'
    },
  })
  return node
}

/** The style of all YAML files that are generated. */
export const YAML_STYLE = { lineWidth: 120, flowCollectionPadding: false } as const

/** An object as YAML in the style of the files. */
export function yamlOf(object: JsonObject): string {
  const document = new Document(object, PLAIN)
  if (document.contents) styled(document.contents)
  return document.toString(YAML_STYLE)
}
