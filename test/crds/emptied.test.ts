import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { at, isObject, listOr, objectOr } from '../../common/json/json.ts'

const specOf = (file: string): unknown => {
  const [version] = listOr(at(parse(readFileSync(file, 'utf8')), 'spec', 'versions'))
  return at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec')
}

/** Whether server-side apply stores it as it is applied, with all that is in it. */
const isOneValue = (schema: unknown): boolean =>
  at(schema, 'x-kubernetes-map-type') === 'atomic' ||
  (at(schema, 'type') === 'array' && !['map', 'set'].includes(String(at(schema, 'x-kubernetes-list-type'))))

/** The paths of the objects that Kubernetes can make null of: several managers can own parts of them. */
function* granular(schema: unknown, path: string): Generator<string> {
  if (isOneValue(schema)) return
  if (at(schema, 'type') === 'object') yield path
  const [items, values] = [at(schema, 'items'), at(schema, 'additionalProperties')]
  if (isObject(items)) yield* granular(items, `${path}[]`)
  if (isObject(values)) yield* granular(values, `${path}.*`)
  for (const [key, of] of Object.entries(objectOr(at(schema, 'properties')))) yield* granular(of, `${path}.${key}`)
}

/** Why null does no harm in the place of an object that is granular. */
const HARMLESS: Readonly<Record<string, string>> = {
  'experimentdeployments spec': 'it needs a source, so it is never empty',
  'experimentdeployments spec.sourceRef': 'it needs a name, so it is never empty',
  'experimentdeployments spec.strategy': 'it needs canary or blueGreen, so it is never empty',
  'experimentdeployments spec.promotion': 'the schema accepts null, which is no promotion',
  'experimentpolicies spec': 'it is refused then, and the limits stay; whoever wants none deletes the policy',
  'experimentanalysisproviders spec': 'it needs a type, so it is never empty',
  'experimentanalysistemplates spec': 'it needs metrics, so it is never empty',
  'experimentanalysistemplates spec.args[]': 'it needs a name, so it is never empty',
  'experimentanalysistemplates spec.metrics[]': 'it needs a name, so it is never empty',
  'clusterexperimentanalysistemplates spec': 'it needs metrics, so it is never empty',
  'clusterexperimentanalysistemplates spec.args[]': 'it needs a name, so it is never empty',
  'clusterexperimentanalysistemplates spec.metrics[]': 'it needs a name, so it is never empty',
}

describe('N9: an object in a CRD that somebody empties by server-side apply', () => {
  const files = globSync('crds/experiment*.yaml').concat('crds/clusterexperimentanalysistemplates.yaml')
  const found = files
    .filter((file) => !file.includes('runs')) // only the controller writes runs, and never applies them
    .flatMap((file) => {
      const name = file.replace(/^crds\/|\.yaml$/g, '')
      return [...granular(specOf(file), 'spec')].map((path) => `${name} ${path}`)
    })

  it('N9: is stored as {}, or null does no harm in its place', () =>
    expect(found).to.have.members(Object.keys(HARMLESS)))
})
