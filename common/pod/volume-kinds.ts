import { parseQuantity } from '../api/quantity.ts'
import { showValue } from '../json/field-path.ts'
import { checkClaimSpec } from './claims.ts'
import {
  checkRange,
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  membersOf,
  refuse,
  refuseIf,
  requireValue,
  textAt,
} from './field.ts'
import { dnsLabelProblem, dnsNameProblem, pathWithoutBackstepsProblem, relativePathProblem } from './syntax.ts'
import { checkDownwardFile, checkFiles, checkMode, checkProjected } from './volume-files.ts'

/**
 * Texts without which a kind of volume is refused. The schema calls most of them required, but allows them to be empty.
 */
const REQUIRED_TEXTS: Readonly<Record<string, readonly string[]>> = {
  awsElasticBlockStore: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  cinder: ['volumeID'],
  configMap: ['name'],
  csi: ['driver'],
  flexVolume: ['driver'],
  gcePersistentDisk: ['pdName'],
  gitRepo: ['repository'],
  glusterfs: ['endpoints', 'path'],
  hostPath: ['path'],
  iscsi: ['targetPortal', 'iqn'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  quobyte: ['registry', 'volume'],
  rbd: ['image'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  secret: ['secretName'],
  storageos: ['volumeName'],
  vsphereVolume: ['volumePath'],
}

/** What a kind of volume needs beside those texts. */
const VOLUME_RULES: Readonly<Record<string, (source: Field) => void>> = {
  emptyDir: (source) => {
    const limit = fieldAt(source, 'sizeLimit')
    if ((parseQuantity(limit.value) ?? 0n) < 0n) refuse(limit, 'must not be negative; remove it')
    const medium = fieldAt(source, 'medium')
    if (textAt(medium) !== '' && !/^(?:Memory|HugePages(?:-.+)?)$/.test(textAt(medium)))
      refuse(medium, 'must be Memory, HugePages, or absent for the disk of the node; correct it', {
        cause: 'FieldValueNotSupported',
        isStored: true,
      })
  },
  hostPath: (source) => refuseIf(fieldAt(source, 'path'), pathWithoutBackstepsProblem(textAt(fieldAt(source, 'path')))),
  configMap: checkFiles,
  secret: checkFiles,
  downwardAPI: (source) => {
    checkMode(fieldAt(source, 'defaultMode'))
    for (const file of itemsOf(fieldAt(source, 'items'))) checkDownwardFile(file)
  },
  projected: checkProjected,
  ephemeral: (source) => {
    const template = fieldAt(source, 'volumeClaimTemplate')
    if (isSet(template)) checkClaimTemplate(template)
    else requireValue(template, 'must be a template of a claim; add it')
  },
  csi: checkCsi,
  nfs: (source) => {
    const path = fieldAt(source, 'path')
    if (textAt(path) !== '' && !textAt(path).startsWith('/'))
      refuse(path, 'must be an absolute path; start it with "/"')
  },
  gitRepo: (source) =>
    refuseIf(fieldAt(source, 'directory'), relativePathProblem(textAt(fieldAt(source, 'directory')))),
  awsElasticBlockStore: checkPartition,
  gcePersistentDisk: checkPartition,
  iscsi: checkIscsi,
  fc: checkFibreChannel,
  rbd: checkMonitors,
  cephfs: checkMonitors,
  cinder: checkSecretRef,
  storageos: checkStorageOs,
  azureDisk: (source) => {
    const uri = fieldAt(source, 'diskURI')
    const start = fieldAt(source, 'kind').value === 'Managed' ? '/subscriptions/' : 'https://'
    if (textAt(uri) !== '' && !textAt(uri).startsWith(start))
      refuse(uri, `must start with ${start} for this kind of disk; correct it`)
  },
  flexVolume: (source) => {
    for (const [key, option] of membersOf(fieldAt(source, 'options')))
      if (/(?:^|\.)(?:kubernetes|k8s)\.io$/i.test(key.split('/')[0] ?? ''))
        refuse(option, 'options of kubernetes.io and k8s.io are reserved; remove it')
  },
  flocker: (source) => {
    const [name, uuid] = [fieldAt(source, 'datasetName'), fieldAt(source, 'datasetUUID')]
    if (textAt(name) === '' && textAt(uuid) === '')
      requireValue(source, 'must have datasetName or datasetUUID; add one')
    if (textAt(name) !== '' && textAt(uuid) !== '')
      refuse(uuid, 'cannot be set together with datasetName; remove one of them')
    if (textAt(name).includes('/')) refuse(name, 'must not contain "/"; correct it')
  },
  quobyte: (source) => {
    const [registry, tenant] = [fieldAt(source, 'registry'), fieldAt(source, 'tenant')]
    if (textAt(registry) === '') return
    if (textAt(tenant).length > 64) refuse(tenant, 'must have at most 64 characters; correct it')
    else if (
      !textAt(registry)
        .split(',')
        .every((pair) => /^[^:]*:[^:]*$|^\[[^\]]*\]:[^:]*$/.test(pair))
    )
      refuse(registry, 'must be host:port, or several of them with commas between; correct it')
  },
}

/** What is wrong with the `source` of a volume. The author names the `kind`, so it may be `constructor`. */
export function checkKind(kind: string, source: Field): void {
  for (const key of Object.hasOwn(REQUIRED_TEXTS, kind) ? (REQUIRED_TEXTS[kind] ?? []) : []) {
    const field = fieldIn(source, ...key.split('.'))
    if (textAt(field) === '') requireValue(field, 'must not be empty; set it')
  }
  if (Object.hasOwn(VOLUME_RULES, kind)) VOLUME_RULES[kind]?.(source)
}

function checkPartition(source: Field): void {
  checkRange(fieldAt(source, 'partition'), 0, 255)
}

/** The three formats of names in iSCSI. */
const INITIATORS: readonly RegExp[] = [
  /^iqn\.\d{4}-\d{2}\.[a-z0-9]+(?:[.-][a-z0-9]+)*(?::[^,;*&$|\s]+)?$/,
  /^eui\.[a-z0-9A-Z]{16}$/,
  /^naa\.[a-z0-9A-Z]{32}$/,
]

/** Without an `iqn`, another rule names the mistake. */
function checkInitiator(name: Field): void {
  const text = textAt(name)
  if (isSet(name) && (text !== '' || name.step !== 'iqn') && !INITIATORS.some((format) => format.test(text)))
    refuse(name, `must be a name of iSCSI such as iqn.2001-04.com.example:storage; got ${showValue(text)}`)
}

function checkFibreChannel(source: Field): void {
  const [names, ids, lun] = [fieldAt(source, 'targetWWNs'), fieldAt(source, 'wwids'), fieldAt(source, 'lun')]
  const [hasNames, hasIds] = [itemsOf(names).length > 0, itemsOf(ids).length > 0]
  if (hasNames === hasIds) refuse(names, 'must be set, or wwids, but not both; correct it')
  if (!hasNames) return
  if (isSet(lun)) checkRange(lun, 0, 255)
  else requireValue(lun, 'must be set with targetWWNs; set it')
}

function checkMonitors(source: Field): void {
  const monitors = fieldAt(source, 'monitors')
  if (itemsOf(monitors).length === 0) requireValue(monitors, 'must have a monitor; add one')
}

function checkSecretRef(source: Field): void {
  const name = fieldIn(source, 'secretRef', 'name')
  if (isSet(fieldAt(source, 'secretRef')) && textAt(name) === '') requireValue(name, 'must not be empty; set it')
}

function checkCsi(source: Field): void {
  const [driver, secret] = [fieldAt(source, 'driver'), fieldAt(source, 'nodePublishSecretRef')]
  const text = textAt(driver)
  if (text.length > 63) refuse(driver, 'must have at most 63 characters; correct it')
  else if (text !== '') refuseIf(driver, dnsNameProblem(text.toLowerCase()))
  if (isSet(secret) && textAt(fieldAt(secret, 'name')) === '')
    requireValue(fieldAt(secret, 'name'), 'must not be empty; set it')
  else if (isSet(secret)) refuseIf(fieldAt(secret, 'name'), dnsNameProblem(textAt(fieldAt(secret, 'name'))))
}

function checkIscsi(source: Field): void {
  checkRange(fieldAt(source, 'lun'), 0, 255)
  for (const key of ['iqn', 'initiatorName']) checkInitiator(fieldAt(source, key))
  const isCheckingPasswords = ['chapAuthDiscovery', 'chapAuthSession'].some(
    (key) => fieldAt(source, key).value === true,
  )
  if (isCheckingPasswords && !isSet(fieldAt(source, 'secretRef')))
    requireValue(fieldAt(source, 'secretRef'), 'must be set for CHAP; set it')
}

function checkStorageOs(source: Field): void {
  checkSecretRef(source)
  for (const key of ['volumeName', 'volumeNamespace'])
    if (textAt(fieldAt(source, key)) !== '')
      refuseIf(fieldAt(source, key), dnsLabelProblem(textAt(fieldAt(source, key))))
}

function checkClaimTemplate(template: Field): void {
  checkClaimSpec(fieldAt(template, 'spec'))
  for (const [key, field] of membersOf(fieldAt(template, 'metadata')))
    if (key !== 'labels' && key !== 'annotations' && isSet(field))
      refuse(field, 'cannot be set here, only labels and annotations; remove it', { cause: 'FieldValueForbidden' })
}
