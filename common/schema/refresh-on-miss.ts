import type { SpecSchema } from '../override/spec-schema.ts'

/** A source of schemas. */
interface Schemas {
  schemaOf(kind: string): SpecSchema | undefined
}

/** `schemas`, with a call of `refreshNow` whenever the schema of a kind is asked for and missing. */
export const refreshOnMiss = (schemas: Schemas, refreshNow: () => void): Schemas => ({
  schemaOf(kind) {
    const schema = schemas.schemaOf(kind)
    if (!schema) refreshNow()
    return schema
  },
})
