import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { FIELD_MANAGER, PROMOTION_MANAGER, SCALE_MANAGER, SCALED, SCALED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject, objectOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { sizeOf } from '../../common/scaling/size.ts'
import { deployment } from '../../common/workload/deployment.ts'
import {
  releaseSourceSize,
  resizeSource,
  type SourceSizeWrite,
  unlabelSource,
} from '../../common/writes/source-size-writes.ts'
import { requestOf } from '../../controller/apply/write-request.ts'
import { type Api, ApiError, apiOf } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, SYSTEM_NAMESPACE, WITH_PROMOTION } from '../../sandbox/installation.ts'
import { sizeWrites } from '../../sandbox/size-writes.ts'
import { anExperiment, UID } from '../builders.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'
const ACCOUNT = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/experiment-controller`
const ONLY_FORKS = 'the controller of experiments may write only forks'
const ONLY_SOURCES = `${ONLY_FORKS}, and sources by a promotion or a canary that scales them`
const NO_RIGHT = 'cannot patch resource "deployments/scale"'

const source = (name: string, { replicas = 5, labels = {}, annotations = {}, env = 1 }: SourceOf = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default', labels, annotations },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: ['a', 'b', 'c', 'd', 'e'].map((container) => ({
          ...{ name: container, image: `registry.example/${container}:1` },
          env: Array.from({ length: env }, (_, index) => ({ name: `NAME_${index}`, value: `value ${index}` })),
        })),
      },
    },
  },
})
interface SourceOf {
  readonly replicas?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly env?: number
}
const LABEL = { [SCALED]: `${UID}.5.2` }
const many = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`example.com/note-${index}`, 'a'.repeat(99)]),
)

/** The sources, by name. */
const SOURCES: Readonly<Record<string, SourceOf>> = {
  plain: {},
  kept: { labels: { team: 'shop' }, annotations: { note: 'a' } },
  small: { replicas: 2, labels: { team: 'shop', ...LABEL }, annotations: { note: 'a', [SCALED_BY]: 'default/e' } },
  large: { annotations: many, env: 200 },
  released: { labels: { team: 'shop' } },
}
const replicas = (value: number): JsonObject => ({ op: 'replace', path: '/spec/replicas', value })
const pathOf = (map: string, key: string) => `/metadata/${map}/${key.replaceAll('/', '~1')}`
const label: JsonObject = { op: 'add', path: pathOf('labels', SCALED), value: `${UID}.5.2` }
const add = (path: string, value: JsonObject[string]): JsonObject => ({ op: 'add', path, value })
const remove = (path: string): JsonObject => ({ op: 'remove', path })

/** A change of a source: as the controller plans it for what it has read, or a JSON patch. */
interface Attempt {
  readonly of?: string
  readonly change: ((of: KubeObject) => SourceSizeWrite) | readonly JsonObject[]
  readonly manager?: string
  readonly subresource?: string
}
const experiment = anExperiment({ metadata: { namespace: 'default', name: 'e' } })
const resized = (size: number, written: number) => (of: KubeObject) =>
  resizeSource({ resource: deployment, of }, { experiment: UID, size, written }, experiment)

const ALLOWED: Readonly<Record<string, Attempt>> = {
  'makes a source smaller, with the label': { change: resized(5, 2) },
  'makes a source with labels and annotations smaller, with the label': { of: 'kept', change: resized(5, 1) },
  'makes a small source smaller': { of: 'small', change: resized(5, 1) },
  'makes a source with many fields and annotations smaller': { of: 'large', change: resized(5, 2) },
  'makes a small source larger, with the label': { of: 'small', change: resized(5, 4) },
  'makes a source larger without the label': { change: [replicas(6)] },
  'writes the label alone': { of: 'small', change: resized(2, 2) },
  'gives a source its pods, and takes label and annotation away': {
    of: 'small',
    change: (of) => unlabelSource({ resource: deployment, of }, 5),
  },
  'takes label and annotation away': {
    of: 'small',
    change: (of) => unlabelSource({ resource: deployment, of }, undefined),
  },
}

const REFUSED: Readonly<Record<string, Attempt>> = {
  'does not give a source 0 pods': { change: resized(5, 0) },
  'does not give a small source 0 pods': { of: 'small', change: [replicas(0)] },
  'does not make a source smaller without the label': { change: [replicas(4)] },
  'does not make a source smaller and take the label away': {
    of: 'small',
    change: [replicas(1), remove(pathOf('labels', SCALED))],
  },
  'does not change another field with the number': {
    of: 'kept',
    change: [replicas(2), label, add('/spec/minReadySeconds', 9)],
  },
  'does not change the image with the number': {
    of: 'kept',
    change: [replicas(2), label, add('/spec/template/spec/containers/0/image', 'registry.example/miner:1')],
  },
  'does not take a field away with the number': {
    of: 'large',
    change: [replicas(6), remove('/spec/template/spec/containers/0/env')],
  },
  'does not change another label': { of: 'kept', change: [replicas(2), label, add('/metadata/labels/team', 'bank')] },
  'does not add another label': { of: 'kept', change: [replicas(6), add('/metadata/labels/more', 'b')] },
  'does not take another label away': { of: 'kept', change: [replicas(6), remove('/metadata/labels/team')] },
  'does not replace all labels': { of: 'kept', change: [replicas(2), add('/metadata/labels', LABEL)] },
  'does not change another annotation': { of: 'kept', change: [replicas(6), add('/metadata/annotations/note', 'b')] },
  'does not take all annotations away': { of: 'kept', change: [replicas(6), remove('/metadata/annotations')] },
  'does not hold a source': { change: [replicas(6), add('/metadata/finalizers', ['example.com/hold'])] },
  'does not do it under the name of forks': { change: [replicas(6)], manager: FIELD_MANAGER },
  'does not do it under another name': { change: [replicas(6)], manager: 'node' },
}

describe('A73: what the API server lets our account write of the size of a source', () => {
  const plane = usesOwnControlPlane(crds)
  let controller: Api | undefined
  const asController = () => {
    if (!controller) throw new Error('the account is there while tests run')
    return controller
  }
  const pathTo = (name: string) => resourcePath(deployment, { namespace: 'default', name })
  const read = (name: string) => plane().api.get(pathTo(name))

  /** Applies what an installation says of the account of the controller. */
  async function allows(overlay: string): Promise<void> {
    const { stdout, stderr } = await plane().kubectl(['kustomize', overlay])
    expect(stderr).to.equal('')
    const objects = parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
    const rights = objects.filter(({ kind }) => /^Namespace$|^ServiceAccount$|Role|AdmissionPolicy/.test(kind))
    const input = rights.map((object) => JSON.stringify(object)).join('\n---\n')
    const applied = await plane().kubectl(['apply', '--validate=strict', '-f', '-'], { input })
    expect({ code: applied.code, stderr: applied.stderr }).to.deep.equal({ code: 0, stderr: '' })
  }

  before('the account and the sources are there', async function () {
    this.timeout(90_000)
    await allows('manifests/base')
    for (const [name, of] of Object.entries(SOURCES)) {
      const args = ['apply', '--server-side', '--field-manager=team', '-f', '-']
      const { code, stderr } = await plane().kubectl(args, { input: JSON.stringify(source(name, of)) })
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    }
    const stateful = { ...source('stateful'), kind: 'StatefulSet' }
    await plane().api.create('/apis/apps/v1/namespaces/default/statefulsets', stateful)
    const { status } = await plane().api.create(`${ACCOUNT}/token`, { spec: { expirationSeconds: 3_600 } })
    const token = String(at(status, 'token'))
    controller = apiOf({ server: plane().server, ca: await readFile(plane().caFile, 'utf8'), token })
    await says(ONLY_FORKS)
  })
  after(() => controller?.close())

  /** Waits until the policy refuses with this message. */
  const says = (message: string) =>
    eventually('the policy to refuse', 30_000, async () => {
      const said = await answer(asController(), { change: [replicas(4)] })
      expect(said.endsWith(message), said).to.equal(true)
    })

  /** The request for a change. */
  async function requestFor({ of = 'plain', change, manager = SCALE_MANAGER, subresource }: Attempt) {
    if (typeof change !== 'function')
      return { path: `${pathTo(of)}${subresource ? `/${subresource}` : ''}?fieldManager=${manager}`, body: change }
    const { path, query, body } = requestOf(change(await read(of)))
    return { path: `${path}?fieldManager=${at(query, 'fieldManager')}`, body: objectOrList(body) }
  }

  /** The answer to a dry run: "accepted", or the refusal. Another write of the source in between is no answer. */
  const answer = (api: Api, attempt: Attempt): Promise<string> =>
    eventually('an answer', 10_000, async () => {
      const { path, body } = await requestFor(attempt)
      try {
        await api.patch(`${path}&dryRun=All`, body, 'json')
        return 'accepted'
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return error.message
        throw error
      }
    })

  describe('without the component for promotion', () => {
    for (const [sentence, attempt] of Object.entries({ ...ALLOWED, ...REFUSED }))
      it(`refuses it: ${sentence}`, async () => {
        const said = await answer(asController(), attempt)
        expect(said.endsWith(ONLY_FORKS), said).to.equal(true)
      })

    it('refuses the scale subresource: RBAC does', async () => {
      const attempt = { change: [replicas(6)], subresource: 'scale' }
      expect(await answer(asController(), attempt)).to.contain(NO_RIGHT)
    })
  })

  describe('with the component for promotion', () => {
    before('the component is there', async () => {
      await allows(WITH_PROMOTION)
      await says(ONLY_SOURCES)
    })

    it('has passed the type check of the API server', () =>
      eventually('the API server to have checked the types', 20_000, async () => {
        const found = await plane().api.get(POLICY)
        expect(at(found, 'status', 'observedGeneration')).to.equal(found.metadata.generation)
        expect(at(found, 'status', 'typeChecking', 'expressionWarnings')).to.equal(undefined)
      }))

    for (const [sentence, attempt] of Object.entries(ALLOWED))
      it(sentence, async () => expect(await answer(asController(), attempt)).to.equal('accepted'))

    for (const [sentence, attempt] of Object.entries(REFUSED)) {
      it(sentence, async () => {
        const said = await answer(asController(), attempt)
        expect(said.endsWith(ONLY_SOURCES), said).to.equal(true)
      })
      // so the policy refuses it, and nothing else
      it(`${sentence}, but an admin may`, async () => expect(await answer(plane().api, attempt)).to.equal('accepted'))
    }

    it('promotes any field of a source, under the name of promotions', async () => {
      const attempt = { of: 'kept', change: [add('/spec/minReadySeconds', 9)], manager: PROMOTION_MANAGER }
      expect(await answer(asController(), attempt)).to.equal('accepted')
    })

    it('does not use the scale subresource, which only RBAC refuses', async () => {
      const attempt = { change: [replicas(6)], subresource: 'scale' }
      expect(await answer(asController(), attempt)).to.contain(NO_RIGHT)
      expect(await answer(plane().api, attempt)).to.equal('accepted')
    })

    const refusalOf = (request: Promise<unknown>) =>
      request.then(
        () => 'accepted',
        (error: unknown) => (error as Error).message,
      )

    it('scales no StatefulSet, and creates and deletes no source', async () => {
      const query = `fieldManager=${SCALE_MANAGER}&dryRun=All`
      const all = '/apis/apps/v1/namespaces/default'
      const { api } = plane()
      for (const request of [
        (by: Api) => by.patch(`${all}/statefulsets/stateful?${query}`, [replicas(6)], 'json'),
        (by: Api) => by.create(`${all}/deployments?${query}`, source('another', { labels: LABEL })),
        (by: Api) => by.delete(`${pathTo('small')}?${query}`),
      ]) {
        expect(await refusalOf(request(asController()))).to.contain(ONLY_SOURCES)
        expect(await refusalOf(request(api))).to.equal('accepted')
      }
    })

    /** Who has written `spec.replicas`, by `managedFields`. */
    const writersOf = ({ metadata: { managedFields = [] } }: KubeObject) =>
      managedFields.flatMap(({ manager = '', fieldsV1, subresource }) =>
        subresource === undefined && 'f:replicas' in objectOr(at(fieldsV1, 'f:spec')) ? [manager] : [],
      )
    const managersOf = ({ metadata: { managedFields = [] } }: KubeObject) =>
      managedFields.map(({ manager, operation, subresource }) => [manager, operation, subresource].join())
    /** As the controller writes it, for what it has read. */
    async function writes(plan: (of: KubeObject) => SourceSizeWrite | undefined): Promise<KubeObject> {
      const write = plan(await read('released'))
      if (!write) throw new Error('nothing to write')
      const { path, query, body } = requestOf(write)
      return asController().patch(`${path}?fieldManager=${at(query, 'fieldManager')}`, objectOrList(body), 'json')
    }
    const attempted = (plan: (of: KubeObject) => SourceSizeWrite | undefined) =>
      eventually('a write without a conflict', 20_000, () => writes(plan))
    const ofSource = (of: KubeObject) => ({ resource: deployment, of })
    /** Another number, by somebody who has never written the source. */
    const appliesAnother = (...args: readonly string[]) =>
      plane().kubectl(['apply', '--server-side', '--field-manager=another', ...args, '-f', '-'], {
        input: JSON.stringify({ ...source('released'), spec: { replicas: 7 } }),
      })

    it('releases a source, whose next size by another manager then is no conflict', async () => {
      expect(writersOf(await read('released'))).to.deep.equal(['team'])
      const small = await attempted(resized(5, 2))
      expect(sizeOf(small)).to.deep.equal({ wanted: 5, now: 2 })
      expect(writersOf(small)).to.deep.equal([SCALE_MANAGER])
      const back = await attempted((of) => unlabelSource(ofSource(of), 5))
      expect([sizeOf(back), back.metadata.labels]).to.deep.equal([{ wanted: 5, now: 5 }, { team: 'shop' }])
      expect(writersOf(back)).to.deep.equal([SCALE_MANAGER])
      const conflict = await appliesAnother('--dry-run=server')
      expect(conflict.code).to.equal(1)
      expect(conflict.stderr).to.contain(`conflict with "${SCALE_MANAGER}" using apps/v1: .spec.replicas`)

      const released = await attempted((of) => releaseSourceSize(ofSource(of)))
      expect(writersOf(released)).to.deep.equal([])
      expect(managersOf(released).join()).to.not.contain(SCALE_MANAGER)
      expect(managersOf(released)).to.include('team,Apply,')
      expect([released.spec, released.metadata.labels]).to.deep.equal([back.spec, back.metadata.labels])
      expect(released.metadata.generation).to.equal(back.metadata.generation)
      expect(releaseSourceSize(ofSource(released))).to.equal(undefined)

      const { code, stderr } = await appliesAnother()
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      const applied = await read('released')
      expect(sizeOf(applied)).to.deep.equal({ wanted: 7, now: 7 })
      expect(writersOf(applied)).to.deep.equal(['another'])
    })

    it('has in the audit log who wrote which number', async () => {
      const found = await sizeWrites(plane().auditLog, '/deployments/released?')
      const made = found.filter(({ code }) => code === 200)
      const by = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
      expect(new Set(made.map((write) => `${write.by} ${write.source}`))).to.deep.equal(
        new Set([`${by} deployments/default/released`]),
      )
      expect(made.map(({ from, to, record }) => [from, to, record?.written])).to.deep.equal([
        [5, 2, 2],
        [2, 5, undefined],
        [undefined, undefined, undefined],
      ])
    })
  })
})

const objectOrList = (body: unknown): object => (typeof body === 'object' && body !== null ? body : {})
