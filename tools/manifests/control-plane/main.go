// A Kubernetes control plane for tests of manifests: an API server with its own etcd, on free ports of loopback, with
// certificates and keys that live as long as it does. Nothing is scheduled or started: there is no other component.
//
//	control-plane
//
// Prints the path of an administrator's kubeconfig and serves until SIGTERM, which leaves no file behind.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"
)

const (
	loopback = "127.0.0.1"
	// Of the group that may do everything, whatever RBAC says.
	administrators  = "system:masters"
	issuer          = "https://kubernetes.default.svc"
	serviceNetworks = "10.96.0.0/16"
)

func main() {
	if err := serve(genericapiserver.SetupSignalContext()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "control-plane-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	etcd, err := startEtcd(filepath.Join(folder, "etcd"))
	if err != nil {
		return err
	}
	defer etcd.Close()
	token := rand.Text()
	server, err := apiServer(folder, "http://"+etcd.Clients[0].Addr().String(), token)
	if err != nil {
		return err
	}
	completed, err := server.Complete(ctx)
	if err != nil {
		return err
	}
	if faults := completed.Validate(); len(faults) > 0 {
		return utilerrors.NewAggregate(faults)
	}
	kubeconfig, err := writeKubeconfig(folder, server, token)
	if err != nil {
		return err
	}
	fmt.Println(kubeconfig)
	return app.Run(ctx, completed)
}

func startEtcd(folder string) (*embed.Etcd, error) {
	free := []url.URL{{Scheme: "http", Host: net.JoinHostPort(loopback, "0")}}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.ListenClientUrls, config.AdvertiseClientUrls = free, free
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// What it holds need not outlive it.
	config.UnsafeNoFsync = true
	config.EnableGRPCGateway = false
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	}
}

// apiServer has the defaults of Kubernetes, its admission plugins among them, and what it cannot do without.
func apiServer(folder, etcd, token string) (*options.ServerRunOptions, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, err
	}
	tokens := filepath.Join(folder, "tokens.csv")
	line := fmt.Sprintf("%s,administrator,administrator,%s\n", token, administrators)
	if err := os.WriteFile(tokens, []byte(line), 0o600); err != nil {
		return nil, err
	}
	key, err := writeKey(filepath.Join(folder, "service-accounts.key"))
	if err != nil {
		return nil, err
	}
	server := options.NewServerRunOptions()
	server.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	server.GenericServerRunOptions.AdvertiseAddress = net.ParseIP(loopback)
	server.SecureServing.BindAddress = net.ParseIP(loopback)
	server.SecureServing.Listener = listener
	server.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	server.SecureServing.ServerCert.CertDirectory = folder
	server.Authentication.TokenFile.TokenFile = tokens
	server.Authentication.ServiceAccounts.Issuers = []string{issuer}
	server.Authentication.ServiceAccounts.KeyFiles = []string{key}
	server.ServiceAccountSigningKeyFile = key
	server.Authorization.Modes = []string{"Node", "RBAC"}
	server.ServiceClusterIPRanges = serviceNetworks
	// An endpoint must not be a loopback address, and nobody asks for it here.
	server.EndpointReconcilerType = string(reconcilers.NoneEndpointReconcilerType)
	// So that Pod Security alone decides.
	server.AllowPrivileged = true
	return server, server.GenericServerRunOptions.ComponentGlobalsRegistry.Set()
}

func writeKey(path string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return "", err
	}
	return path, keyutil.WriteKey(path, encoded)
}

// The server's certificate is its own authority; it was made when the options were completed.
func writeKubeconfig(folder string, server *options.ServerRunOptions, token string) (string, error) {
	certificate, err := os.ReadFile(server.SecureServing.ServerCert.CertKey.CertFile)
	if err != nil {
		return "", err
	}
	config := api.NewConfig()
	config.Clusters["local"] = &api.Cluster{
		Server:                   "https://" + server.SecureServing.Listener.Addr().String(),
		CertificateAuthorityData: certificate,
	}
	config.AuthInfos["administrator"] = &api.AuthInfo{Token: token}
	config.Contexts["local"] = &api.Context{Cluster: "local", AuthInfo: "administrator"}
	config.CurrentContext = "local"
	path := filepath.Join(folder, "kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}
