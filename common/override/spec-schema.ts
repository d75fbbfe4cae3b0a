import type { FieldError, OverrideType } from '../api/types.ts'
import type { Path } from '../json/field-path.ts'
import type { JsonObject } from '../json/json.ts'
import type { Shape } from './shape.ts'

/** An error, and the path to it below the spec. */
export interface SpecError extends FieldError {
  readonly path: Path
}

/** The fields that the schema of a kind knows. Without members and items, any value is known. */
export interface KnownFields {
  readonly members?: ReadonlyMap<string, KnownFields>
  readonly items?: KnownFields
}

/** What the `spec` of a kind may contain, according to the running cluster. */
export interface SpecSchema {
  /** changes with the schema */
  readonly hash: string
  /** which lists merge by keys, and which members exclude each other */
  readonly shape: Shape
  /** every error of an override, by path below `spec.overrideSpec`; under Merge items of lists must be complete */
  readonly check: (overrideSpec: JsonObject, type: OverrideType) => readonly FieldError[]
  /** every error of a whole spec, by path below `spec`: required fields must be present and nothing may be null */
  readonly checkWhole: (spec: JsonObject) => readonly SpecError[]
  /** for kinds whose `template` is checked by another schema: the fields that their own schema knows of it */
  readonly template?: KnownFields
}
