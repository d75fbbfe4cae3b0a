import { expect } from 'chai'
import fc from 'fast-check'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import { known } from '../../../common/api/known.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { lineOf } from '../../../webhook/review/decision.ts'
import { aDeployment, anExperiment, aStatefulSet, imageOverride } from '../../builders.ts'
import { LAW } from '../../property.ts'
import { theFork } from '../plan/some-facts.ts'
import { described, trafficOf } from './described.ts'

const DIGITS = '0123456789abcdef'.repeat(4)
const aLabel = (maxLength: number) =>
  fc
    .stringMatching(/^[a-z]$/)
    .chain((first) =>
      fc.string({ unit: fc.constantFrom(...'abc-'), maxLength: maxLength - 2 }).map((rest) => `${first}${rest}z`),
    )

describe('the lines of the plan, if names and values are long', () => {
  const changesOf = (of: { readonly source?: JsonObject; readonly override: JsonObject }) =>
    described({
      ...(of.source ? { source: aDeployment({ container: of.source }) } : {}),
      experiment: anExperiment({ overrideSpec: of.override }),
    }).filter((line) => /\[Plan\] (containers|template)/.test(line))

  it('M7: show twelve digits of the digest of an image', () => {
    const override = imageOverride(`registry.example/shop/cart@sha256:${DIGITS}`)
    expect(changesOf({ override })).to.deep.equal([
      '[Plan] containers[cart].image: example/cart:1 -> registry.example/shop/cart@sha256:0123456789ab',
    ])
  })

  it('M7: show whole digests where the first twelve digits are the same', () => {
    const [from, to] = ['0', '1'].map((last) => `cart@sha256:${DIGITS.slice(1)}${last}`)
    expect(changesOf({ source: { image: from ?? '' }, override: imageOverride(to ?? '') })).to.deep.equal([
      `[Plan] containers[cart].image: ${from} -> ${to}`,
    ])
  })

  it('M7: leave out both images if they are too long, instead of a part of one', () => {
    const override = imageOverride(`registry.example/${'shop/'.repeat(45)}cart:2`)
    expect(changesOf({ override })).to.deep.equal(['[Plan] containers[cart].image: changed'])
  })

  it('M7: leave out a key that is too long, but not where it is', () => {
    const annotations = { [`${'a'.repeat(253)}/b`]: 'x', [`${'c'.repeat(253)}/d`]: 'x', short: 'x' }
    const lines = described({ experiment: anExperiment({ overrideSpec: { template: { metadata: { annotations } } } }) })
    expect(lines.filter((line) => line.includes('annotations') || line.includes('more'))).to.deep.equal([
      '[Plan] template.metadata.annotations[...]: set',
      '[Plan] template.metadata.annotations.short: set',
      '[Plan] and 1 more change', // the API server passes equal warnings on once
    ])
  })

  it('M7: name the lost fields of a container, whole, and the others by their number', () => {
    const fields = ['args', 'command', 'env', 'envFrom', 'lifecycle', 'livenessProbe', 'ports', 'readinessProbe']
    const more = ['resources', 'securityContext', 'startupProbe', 'stdin', 'tty', 'volumeMounts', 'workingDir']
    const container = Object.fromEntries([...fields, ...more].map((field) => [field, ['x']]))
    const lines = described({
      source: aDeployment({ container }),
      experiment: anExperiment({ overrideSpec: imageOverride('example/cart:2') }),
    })
    expect(lines[0]).to.equal(
      `[ListReplaced] containers[cart] loses ${[...fields, ...more.slice(0, 4)].join(', ')} and 3 more` +
        ': Merge replaces whole lists; use Strategic to merge them',
    )
  })

  it('M7: tell of three Services and count the others', () => {
    const services = Array.from({ length: 5 }, (_, at) => ({ name: `cart-${at}`, selector: { app: 'cart' } }))
    const lines = described({ traffic: { ...trafficOf(3, 'x'), services } }).filter((line) =>
      /^\[Plan\] .*ervice/.test(line),
    )
    expect(lines.slice(2)).to.deep.equal([
      '[Plan] service/cart-2: about 100% of new connections (1 of 1 endpoints)',
      '[Plan] and 2 more Services',
    ])
  })

  it('D6: name the fork whole, whatever the names of namespace, experiment and source', () =>
    fc.assert(
      fc.property(aLabel(63), aLabel(63), aLabel(253), fc.boolean(), (namespace, name, source, isThere) => {
        const of = { namespace, creationTimestamp: '2026-11-21T12:00:00Z' }
        const { metadata, ...rest } = aStatefulSet()
        const workload = { ...rest, metadata: { ...metadata, name: source, namespace } }
        const sourceRef = { kind: 'StatefulSet', name: source }
        const make = (replicas: number) => anExperiment({ sourceRef, replicas, metadata: { ...of, name } })
        const given = { kind: known(statefulSet), source: workload, experiment: make(100) }
        const fork = isThere ? { fork: theFork({ ...given, experiment: make(99) }) } : {}
        const lines = described({ ...given, ...fork })
        const verb = isThere ? 'updates' : 'creates'
        const whole = new RegExp(
          `^\\[Plan\\] ${verb} statefulset/[a-z-]{1,30}-experiment-[0-9a-f]{10} in ${namespace}: 100 pods`,
        )
        const [line = ''] = lines.filter((each) => whole.test(each))
        expect(line, lines.join('\n')).not.to.equal('')
        expect(line.endsWith(`, from statefulset/${source}`) || line.endsWith('pods')).to.equal(true)
        for (const each of lines) expect(each.length).to.be.at.most(MAX_WARNING)
        const [, reason, message] = /^\[(\w+)\] (.*)$/.exec(line) ?? []
        expect(lineOf({ reason: reason as 'Plan', message: message ?? '' })).to.equal(line)
      }),
      LAW,
    ))
})
