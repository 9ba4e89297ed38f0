// The images of a Docker stack: the service's is built from the checkout, the stores' are pulled.
import { parse } from 'yaml'
import type { Config, DockerSettings } from '../../../config.ts'
import { sourceHash } from '../../bootstrap/checkout.ts'
import { checkoutRoot } from '../../../service/version.ts'
import { buildImage } from './build-image.ts'
import { lastLine, run, type Ran } from './engine.ts'
import type { Output } from '../../output.ts'

const BUILT = 'insider-trading-data-service:'

/** Returns whether `make up` built the image. */
export const isBuilt = (image: string): boolean => image.startsWith(BUILT)

/** Returns the name of the service's image, building it first if it is missing. */
export async function imageOf(settings: DockerSettings, { dataDir }: Config, out: Output): Promise<string> {
  const { serviceImage } = settings
  if (serviceImage !== null) {
    await pull(serviceImage, 'SERVICE_IMAGE', out)
    return serviceImage
  }
  const root = checkoutRoot()
  // Named by a hash of its source: another checkout, or a later build of this one, does not change what runs.
  const image = BUILT + sourceHash(root)
  if (!(await isThere(image))) out.note('building the image of the service')
  await buildImage({ root, image, dataDir, settings }, out)
  return image
}

/** Removes an image of an earlier build; Docker keeps it if another stack uses it. */
export async function dropImage(image: string): Promise<void> {
  if (isBuilt(image)) await run(['docker', 'image', 'rm', image])
}

/** Pulls missing images. `config` is the output of `compose config`, which names them with all variables resolved. */
export async function pullMissing(config: Ran, { prometheusPort }: DockerSettings, out: Output): Promise<void> {
  if (config.status !== 0) throw new Error(`docker/compose.yml: ${lastLine(config.stderr)}`)
  const { services } = parse(config.stdout) as { services: Record<string, { image: string }> }
  // docker-compose 1 lists services of profiles that are not enabled as well.
  const wanted = Object.entries(services).filter(([name]) => name !== 'prometheus' || prometheusPort !== null)
  for (const image of new Set(wanted.map(([, service]) => service.image))) {
    await pull(image, 'CLICKHOUSE_IMAGE, POSTGRES_IMAGE, REDIS_IMAGE, FRONT_IMAGE or PROMETHEUS_IMAGE', out)
  }
}

async function pull(image: string, variables: string, out: Output): Promise<void> {
  if (await isThere(image)) return
  out.note(`pulling ${image}`)
  const { status, stderr } = await run(['docker', 'pull', '-q', image])
  if (status !== 0)
    throw new Error(`the image ${image} can't be pulled: ${lastLine(stderr)}; another can be named by ${variables}`)
}

async function isThere(image: string): Promise<boolean> {
  return (await run(['docker', 'image', 'inspect', '-f', '{{.Id}}', image])).status === 0
}
