import type { SpecSchema } from '../workload/kind.ts'

/** Whoever knows schemas. */
interface Schemas {
  schemaOf(kind: string): SpecSchema | undefined
}

/** `schemas`, of which a kind without one is told to `hurry`: somebody asks for it now. */
export const wanting = (schemas: Schemas, hurry: () => void): Schemas => ({
  schemaOf(kind) {
    const schema = schemas.schemaOf(kind)
    if (!schema) hurry()
    return schema
  },
})
