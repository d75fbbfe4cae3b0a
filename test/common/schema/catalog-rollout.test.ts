import { expect } from 'chai'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { merge } from '../../../common/override/merge.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { SchemaCatalog, type SchemaSource } from '../../../common/schema/catalog.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { APPS_V1 } from './openapi.ts'

const ROLLOUT = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  templateFrom: 'apps/v1',
}
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }

const string = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })
const open = { 'x-kubernetes-preserve-unknown-fields': true }

/** An excerpt of the CRD that Argo publishes. It has no schema for volumes. */
const ARGO = {
  Rollout: {
    ...object({
      spec: object({
        strategy: object({
          blueGreen: object({ activeService: string }),
          canary: object({ canaryService: string, maxSurge: { 'x-kubernetes-int-or-string': true } }),
        }),
        workloadRef: object({ name: string }),
        template: object({ spec: object({ volumes: open }) }),
      }),
    }),
    'x-kubernetes-group-version-kind': [{ group: 'argoproj.io', kind: 'Rollout', version: 'v1alpha1' }],
  },
}
const CORE = {
  ...APPS_V1.components.schemas,
  'io.k8s.api.core.v1.PodTemplateSpec': object({ spec: { $ref: '#/components/schemas/PodWithVolumes' } }),
  PodWithVolumes: object({
    volumes: {
      type: 'array',
      items: { ...object({ name: string, emptyDir: {}, hostPath: {}, persistentVolumeClaim: {} }), required: ['name'] },
      'x-kubernetes-list-map-keys': ['name'],
    },
  }),
}

function publisher() {
  const reads: string[] = []
  const state = { core: 'C', schemas: CORE as object }
  const source: SchemaSource = {
    get: async (path) => {
      reads.push(path)
      if (path.includes('apps')) return { components: { schemas: state.schemas } }
      if (path.includes('argoproj')) return { components: { schemas: ARGO } }
      return {
        paths: {
          'apis/apps/v1': { serverRelativeURL: `/apps?hash=${state.core}` },
          'apis/argoproj.io/v1alpha1': { serverRelativeURL: '/argoproj?hash=R' },
        },
      }
    },
  }
  return { source, state, reads }
}

describe('SchemaCatalog, for a Rollout', () => {
  const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })

  it('merges the volumes of a Rollout by name', async () => {
    const catalog = new SchemaCatalog(publisher().source, [ROLLOUT])
    expect(await catalog.refresh()).to.deep.equal([])
    const base = pod({ volumes: [{ name: 'a', emptyDir: {} }, { name: 'b' }] })
    const override = boundedOverride(pod({ volumes: [{ name: 'a', hostPath: { path: '/' } }] }))
    const merged = merge(base, override, 'Strategic', catalog.schemaOf('Rollout')?.shape ?? NO_SHAPE)
    expect(merged.is === 'merged' && merged.spec).to.deep.equal(
      pod({ volumes: [{ name: 'a', hostPath: { path: '/' } }, { name: 'b' }] }),
    )
  })

  it('checks the template by the schema of Kubernetes, and the rest by the CRD', async () => {
    const catalog = new SchemaCatalog(publisher().source, [ROLLOUT])
    await catalog.refresh()
    const override = { strategy: { canary: { maxSurge: '10%', zzz: 1 } }, ...pod({ volumes: [{ nam: 'a' }] }) }
    const found = catalog.schemaOf('Rollout')?.check(override, 'Merge') ?? []
    expect(found.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.strategy.canary.zzz',
      'spec.overrideSpec.template.spec.volumes[0].nam',
    ])
  })

  it('does not suggest fields that are banned for Rollouts', async () => {
    const catalog = new SchemaCatalog(publisher().source, [rollout])
    await catalog.refresh()
    const messages = (override: JsonObject) =>
      (catalog.schemaOf('Rollout')?.check(override, 'Merge') ?? []).map(({ message }) => message)
    const ban = (path: string) => rollout.bans.find((each) => each.path.join('.') === path)?.message
    expect(messages({ workloadref: {} })).to.deep.equal([
      `unknown field; if you mean "workloadRef": ${ban('workloadRef')}`,
    ])
    expect(messages({ strategy: { bluegreen: {}, zzz: 1 } })).to.deep.equal([
      `unknown field; if you mean "blueGreen": ${ban('strategy.blueGreen')}`,
      'unknown field; valid fields: canary',
    ])
    expect(messages({ strategy: { canary: { canaryservice: 'x' }, activeService: 'x' } })).to.deep.equal([
      `unknown field; if you mean "canaryService": ${ban('strategy.canary.canaryService')}`,
      'unknown field; valid fields: canary',
    ])
  })

  it('reads each document once, and compiles again if either changes', async () => {
    const { source, state, reads } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT, ROLLOUT])
    await catalog.refresh()
    expect(reads).to.deep.equal(['/openapi/v3', '/apps?hash=C', '/argoproj?hash=R'])
    expect(catalog.schemaOf('Rollout')?.hash).to.equal('R+C')
    state.core = 'D'
    await catalog.refresh()
    expect(catalog.schemaOf('Rollout')?.hash).to.equal('R+D')
  })

  it('keeps the schema it has if the other document has no pod template', async () => {
    const { source, state } = publisher()
    const catalog = new SchemaCatalog(source, [ROLLOUT])
    await catalog.refresh()
    Object.assign(state, { core: 'D', schemas: {} })
    expect((await catalog.refresh()).map(({ apiVersion }) => apiVersion)).to.deep.equal(['argoproj.io/v1alpha1'])
    expect(catalog.schemaOf('Rollout')?.hash).to.equal('R+C')
  })
})
