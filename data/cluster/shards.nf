// SPDX-License-Identifier: MIT
// Nextflow: one process for each shard. The photographs and the results lie on a file system that all nodes mount.
//
//   nextflow run shards.nf --photos /data/photos --results /data/results --shards 8
//
// Run again what failed: the same line with -resume; the program's own --resume leaves out what the manifest records.
params.shards = 8
params.options = ''

process shard {
    errorStrategy 'retry'
    maxRetries 2
    cpus 2

    input:
    val index

    output:
    val index

    script:
    """
    mkdir -p '${params.results}/images' '${params.results}/manifests'
    meanshift-lab --headless --recursive '${params.photos}' -o '${params.results}/images' \\
      --shard ${index}/${params.shards} --resume --jobs ${task.cpus} \\
      --manifest '${params.results}/manifests/${index}.jsonl' ${params.options}
    """
}

process left {
    input:
    val finished

    script:
    """
    meanshift-lab --headless --recursive '${params.photos}' -o '${params.results}/images' \\
      --dry-run --resume --manifest '${params.results}/manifests/*.jsonl' ${params.options} > '${params.results}/left'
    test ! -s '${params.results}/left'
    """
}

workflow {
    channel.of(1..(params.shards as int)) | shard | collect | left
}
